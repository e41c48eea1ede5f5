import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/problem.js';

const AWAY_MS = 1500;

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly problem: unknown;
  again(): void;
}

/** Something read once, and again when `of` changes or somebody asks. What comes too late is dropped. */
export function useLoaded<T>(read: () => Promise<T>, of: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'again'>>({ value: undefined, problem: undefined });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    read().then(
      (value) => {
        if (isCurrent) setState({ value, problem: undefined });
      },
      (problem: unknown) => {
        if (!isCurrent) return;
        setState({ value: undefined, problem });
        // nobody listens: it may come back, and then the page comes back by itself
        if (problem instanceof ApiError && problem.status === 0)
          timer = setTimeout(() => setTurn((before) => before + 1), AWAY_MS);
      },
    );
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [...of, turn]);
  return { ...state, again: () => setTurn((before) => before + 1) };
}
