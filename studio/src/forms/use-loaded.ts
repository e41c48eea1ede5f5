import { useEffect, useState } from 'preact/hooks';

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
    read().then(
      (value) => {
        if (isCurrent) setState({ value, problem: undefined });
      },
      (problem: unknown) => {
        if (isCurrent) setState({ value: undefined, problem });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [...of, turn]);
  return { ...state, again: () => setTurn((before) => before + 1) };
}
