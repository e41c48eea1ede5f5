/**
 * Whether the repair loop settles, and how well it can at best.
 *
 * A repair of intensity u raises the quality by G·u, so the error e = r - y follows e(k+1) = e(k) - G·u(k) - w(k), with
 * u(k) = Kp·e(k) + Ki·Σe + Kd·(e(k) - e(k-1)). In z: (z - 1)·E = -G·U and U = [Kp + Ki·z/(z-1) + Kd·(z-1)/z]·E. With
 * p = G·Kp, i = G·Ki, d = G·Kd, multiplied by the denominators that are really there, the closed loop has the roots of
 *
 *   P      z - (1 - p)
 *   PD     z² + (p + d - 1)·z - d
 *   PI(D)  z³ + (p + i + d - 2)·z² + (1 - p - 2d)·z + d
 *
 * (The cubic with i = 0 would have a root at 1 that is not in the loop: the denominator z - 1 cancels. So the order is
 * chosen by the gains that are not 0.) It settles when all roots lie inside the unit circle; Jury's criterion says when,
 * without finding them:
 *
 *   z + a                    |a| < 1
 *   z² + a·z + b             1 + a + b > 0,  1 - a + b > 0,  |b| < 1
 *   z³ + a·z² + b·z + c      1 + a + b + c > 0,  1 - a + b - c > 0,  1 - c² > |b - a·c| (and so |c| < 1)
 *
 * For P this is |1 - G·Kp| < 1, that is 0 < Kp < 2/G.
 */
export interface LoopGains {
  /** G: what a repair of full intensity is expected to improve. */
  readonly gain: number;
  readonly kp: number;
  readonly ki: number;
  readonly kd: number;
}

/** Coefficients after the leading 1, highest power first. */
export function characteristic({ gain, kp, ki, kd }: LoopGains): readonly number[] {
  const [p, i, d] = [gain * kp, gain * ki, gain * kd];
  if (i !== 0) return [p + i + d - 2, 1 - p - 2 * d, d];
  if (d !== 0) return [p + d - 1, -d];
  return [p - 1];
}

export function isStable(gains: LoopGains): boolean {
  const [a = 0, b, c] = characteristic(gains);
  if (b === undefined) return Math.abs(a) < 1;
  if (c === undefined) return 1 + a + b > 0 && 1 - a + b > 0 && Math.abs(b) < 1;
  return 1 + a + b + c > 0 && 1 - a + b - c > 0 && 1 - c * c > Math.abs(b - a * c);
}

/** Terms of an impulse response that are added up. Loops that still ring after so many are as good as unstable. */
const RESPONSE_TERMS = 20_000;

/**
 * The error that the noise of generation leaves however often one repairs: the root of the mean squared error of the
 * loop at rest, disturbed by `noise` in each iteration. The variance is that of the noise times the sum of the squared
 * impulse response, which for P alone is 1/(1 - (1 - G·Kp)²). Only for stable gains.
 */
export function noiseFloor(gains: LoopGains, noise: number): number {
  if (noise === 0) return 0;
  const decay = 1 - gains.gain * gains.kp;
  const isProportional = gains.ki === 0 && gains.kd === 0;
  return noise * Math.sqrt(isProportional ? 1 / (1 - decay * decay) : responseEnergy(gains));
}

function responseEnergy({ gain, kp, ki, kd }: LoopGains): number {
  let [error, previous, integral, energy] = [1, 0, 0, 0];
  for (let term = 0; term < RESPONSE_TERMS; term++) {
    energy += error * error;
    integral += error;
    const next = error - gain * (kp * error + ki * integral + kd * (error - previous));
    [previous, error] = [error, next];
    if (Math.abs(error) + Math.abs(previous) + Math.abs(ki * integral) < 1e-12) break;
  }
  return energy;
}
