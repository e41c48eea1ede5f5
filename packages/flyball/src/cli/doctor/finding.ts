/** One thing that was looked at. `next` is what to do about it, where something should be done. */
export interface Finding {
  readonly about: string;
  /** `absent`: not there, which is no mistake. */
  readonly state: 'ok' | 'absent' | 'problem';
  readonly says: string;
  readonly next?: string;
}

export interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
}
