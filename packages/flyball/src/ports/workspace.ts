/** A folder on disk that exists as long as somebody works in it: what a sandbox mounts. */
export interface Workspace {
  /** Absolute. */
  readonly path: string;
  /** Removes it with everything in it. Closing twice is the same as once. */
  close(): Promise<void>;
}

/** Makes a folder that holds these files, by name, and nothing else. Nobody else gets the same folder. */
export type WorkspaceMaker = (files: ReadonlyMap<string, string>) => Promise<Workspace>;
