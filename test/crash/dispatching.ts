import type { Dispatcher, RuntimeOptions } from 'flyball';

/** How one process is called by whoever says whose turn it is. */
export interface Called {
  readonly dispatcher: Dispatcher;
  readonly options: Partial<RuntimeOptions>;
  ready(): Promise<void>;
  /** It is dead: nobody reaches it any more, and what it was asked is asked elsewhere. */
  cut(): void;
}

/** Another system that says whose turn it is, for one process after the other. */
export interface Dispatching {
  /** When the clocks of the processes begin. */
  readonly start: number;
  open(): Called;
  /** Whether a run was handed over that nobody was asked to drive yet: made-up time must not pass meanwhile. */
  isOnItsWay(): boolean;
  /** Resolves when every run that was handed over was driven until it rested. */
  settled(): Promise<void>;
}
