import type { CompleteControllerSettings } from './settings.js';

export interface PidInput {
  readonly error: number;
  /** Of the iteration before; none in the first one. */
  readonly previous?: number;
  /** Accumulated over the iterations before. */
  readonly integral: number;
}

/**
 * The control law: u = Kp·e + Ki·Σe + Kd·Δe, clamped.
 *
 * The first iteration has no Δe. To take the error before it for 0 would answer every start with a jerk.
 * Anti-windup: what the clamp cuts off is not accumulated. Otherwise an error that lasts while the intensity is at its
 * limit would keep it there long after the error is gone.
 */
export function pid(
  { error, previous, integral }: PidInput,
  settings: CompleteControllerSettings,
): { readonly intensity: number; readonly integral: number } {
  const { kp, ki, kd, min, max, integralLimit } = settings;
  const accumulated = clamp(integral + error, -integralLimit, integralLimit);
  const wanted = kp * error + ki * accumulated + kd * (error - (previous ?? error));
  const windsUp = (wanted > max && error > 0) || (wanted < min && error < 0);
  return { intensity: clamp(wanted, min, max), integral: windsUp ? integral : accumulated };
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
