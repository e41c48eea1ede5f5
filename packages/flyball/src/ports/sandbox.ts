/**
 * Runs programs that nobody vouches for, within an enumerated grant.
 *
 * Contract, for every implementation:
 * 1. What the job does not grant is not there, as far as `describe` says that it confines it.
 * 2. No shell reads the arguments: each stage gets its words exactly as they are.
 * 3. A limit that trips, or an abort, kills every process of the job at once, and the result names the limit.
 * 4. Nothing outlives the call: no process, no file outside read-write mounts, no variable for the next job.
 * 5. Memory held for output is bounded however much the program writes.
 * A program that fails is a result. `run` rejects only when the job could not be set up.
 */
export interface Sandbox {
  readonly name: string;
  describe(): SandboxDescription;
  run(job: SandboxJob, how: { readonly signal: AbortSignal }): Promise<SandboxResult>;
}

/** What a sandbox holds, for `doctor`, for the tool that uses it, and for the model that reads its results. */
export interface SandboxDescription {
  readonly name: string;
  readonly files: Confinement;
  readonly network: Confinement;
  readonly memory: Confinement;
  readonly processes: Confinement;
  readonly cpu: Confinement;
  readonly disk: Confinement;
  /** What a reader has to know beside that, such as why a better sandbox is not in use. */
  readonly note?: string;
}

/** `by` says through what it is held, or why it is not. */
export interface Confinement {
  readonly confined: boolean;
  readonly by: string;
}

export interface Mount {
  /** Absolute, on the host; it has the same path inside. */
  readonly path: string;
  readonly access: 'read-only' | 'read-write';
}

/** Programs to run in a sandbox, with their files, network and limits. */
export interface SandboxJob {
  /** Argument vectors, each one reading what the one before writes. */
  readonly stages: readonly (readonly string[])[];
  /** Absolute, and inside one of the mounts where files are confined. */
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  /** Given to the first stage; it reads nothing where this is absent. */
  readonly stdin?: string | Uint8Array;
  /** All the variables it gets beside PATH, LANG and HOME. Nothing is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  /** `none` where it is absent. */
  readonly network?: 'none' | 'host';
  readonly limits?: Partial<SandboxLimits>;
}

/** For all stages together. */
export interface SandboxLimits {
  readonly wallMs: number;
  readonly cpuS: number;
  readonly memoryMb: number;
  readonly processes: number;
  /** What is kept of each of stdout and stderr: half from its beginning, half from its end. */
  readonly outputBytes: number;
  /** Size of the job's own /tmp. */
  readonly tmpMb: number;
  /** What a job may write into its read-write mounts. */
  readonly diskMb: number;
}

export const SANDBOX_LIMITS: SandboxLimits = {
  wallMs: 30_000,
  cpuS: 5,
  memoryMb: 512,
  processes: 64,
  outputBytes: 256 * 1024,
  tmpMb: 64,
  diskMb: 512,
};

export type LimitName = 'wallMs' | 'cpuS' | 'memoryMb' | 'processes' | 'diskMb';

export type ProgramEnd =
  | { readonly how: 'exit'; readonly code: number }
  | { readonly how: 'signal'; readonly signal: string }
  /** There is no such program inside, or it cannot be executed. */
  | { readonly how: 'not-started'; readonly because: string };

export type SandboxEnd =
  | ProgramEnd
  | { readonly how: 'limit'; readonly limit: LimitName; readonly allowed: number }
  | { readonly how: 'aborted' }
  /** It left Git repositories, whose settings run programs where git reads them. They are renamed to these. */
  | { readonly how: 'planted'; readonly aside: readonly string[] };

/** How sandboxed programs ended, and what they printed. */
export interface SandboxResult {
  /** How the job ended: its last stage, as in every pipeline, unless it was stopped from outside. */
  readonly end: SandboxEnd;
  /** Each stage by itself. */
  readonly stages: readonly ProgramEnd[];
  readonly stdout: Captured;
  /** Of all stages, as it arrived. */
  readonly stderr: Captured;
  readonly usage: { readonly wallMs: number; readonly cpuMs?: number; readonly peakMemoryBytes?: number };
}

/** What is left of a stream: all of it in `head`, or its two ends with a gap between them. */
export interface Captured {
  readonly head: string;
  readonly tail: string;
  /** How much there was in all. */
  readonly bytes: number;
  readonly lines: number;
  readonly elidedBytes: number;
}
