/** One thing that was looked at. `next` is what to do about it, where something should be done. */
export interface Finding {
  readonly about: string;
  readonly state: 'ok' | 'absent' | 'problem';
  readonly says: string;
  readonly next?: string;
}

/** What a reader looks for first stands first. */
export interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
}
