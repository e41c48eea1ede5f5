import { useEffect, useState } from 'preact/hooks';
import { ago, dollars, duration } from './amounts.js';

export function Money({ usd }: { readonly usd: number }) {
  return <span class="number">{dollars(usd)}</span>;
}

export function Duration({ ms }: { readonly ms: number }) {
  return <span class="number">{duration(ms)}</span>;
}

/** Counts on by itself while it is shown. */
export function Ago({ at }: { readonly at: number }) {
  const now = useNow(5000);
  return (
    <time class="number" dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {ago(at, now)}
    </time>
  );
}

/** The time, told again every `everyMs` while `on`. */
export function useNow(everyMs: number, on = true): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!on) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, on]);
  return now;
}
