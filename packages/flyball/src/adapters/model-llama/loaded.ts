import { FlyballError } from '../../core/errors.js';
import { ggufFile } from './gguf-file.js';
import {
  type Binding,
  binaryPackage,
  type ChatWrapper,
  type Context,
  installCommand,
  type LlamaLibrary,
  loadLibrary,
  type Sequence,
  type Weights,
} from './library.js';
import { Line } from './line.js';
import { asWritten } from './template.js';

export interface LoadOptions {
  readonly file: string;
  readonly window: number;
  readonly sequences: number;
  readonly threads: number;
  readonly gpu: 'auto' | 'cuda' | 'vulkan' | 'metal' | false;
  readonly load: (() => Promise<unknown>) | undefined;
}

/** Weights in memory, with what it takes to ask them. */
export interface Loaded {
  readonly library: LlamaLibrary;
  readonly binding: Binding;
  readonly weights: Weights;
  readonly wrapper: ChatWrapper;
  /** Tokens in a conversation, the reply included. */
  readonly window: number;
  readonly line: Line<Slot>;
}

/** One conversation at a time is evaluated in it. */
export interface Slot {
  readonly context: Context;
  readonly sequence: Sequence;
}

interface Shared {
  readonly loading: Promise<Loaded>;
  users: number;
}

/**
 * Of the whole process, by file and settings: every agent of a folder makes its own models, and weights of some gigabytes
 * fit into memory once. The last one that closes a model unloads it.
 */
const SHARED = new Map<string, Shared>();

/** Beyond the window, so that the library never finds too little room and drops messages by itself. */
const MARGIN = 128;
export const SHIFT = 32;
/** The limit of a line: more than that have no hope of an answer in time. */
const MAX_WAITING = 10_000;

export interface Lease {
  readonly loaded: Loaded;
  /** Gives it back: to be called once. */
  release(): Promise<void>;
}

export async function lease(options: LoadOptions): Promise<Lease> {
  const file = await ggufFile(options.file);
  const { window, sequences, threads, gpu } = options;
  const key = JSON.stringify([file, window, sequences, threads, gpu]);
  const shared = SHARED.get(key) ?? { loading: loadFrom(file, options), users: 0 };
  SHARED.set(key, shared);
  shared.users += 1;
  const leave = (): boolean => {
    shared.users -= 1;
    if (shared.users > 0 || SHARED.get(key) !== shared) return false;
    return SHARED.delete(key);
  };
  try {
    const loaded = await shared.loading;
    return {
      loaded,
      async release() {
        if (leave()) await unload(loaded);
      },
    };
  } catch (error) {
    leave(); // there may be more memory, or a package, the next time
    throw error;
  }
}

async function loadFrom(file: string, options: LoadOptions): Promise<Loaded> {
  const library = await loadLibrary(options.load);
  const binding = await bindingOf(library, options);
  try {
    const weights = await binding.loadModel({ modelPath: file, ...(options.gpu === false ? { gpuLayers: 0 } : {}) });
    const window = Math.min(options.window, weights.trainContextSize);
    const make = (): Promise<Slot> => slotOf(weights, { window, threads: options.threads });
    const wrapper = asWritten(library, weights);
    const line = new Line<Slot>({ most: options.sequences, maxWaiting: MAX_WAITING, make });
    await line.use(
      new AbortController().signal,
      () => 0,
      async () => undefined,
    ); // too little memory is said now
    return { library, binding, weights, wrapper, window, line };
  } catch (cause) {
    await binding.dispose();
    throw loadFailure(cause, library, file, options);
  }
}

async function bindingOf(library: LlamaLibrary, { gpu, threads }: LoadOptions): Promise<Binding> {
  try {
    // never compiled or downloaded: a call of a model is no moment for a build
    return await library.getLlama({
      gpu,
      maxThreads: threads,
      build: 'never',
      skipDownload: true,
      logLevel: 'error',
      progressLogs: false,
    });
  } catch (cause) {
    if (!(cause instanceof library.NoBinaryFoundError)) throw cause;
    throw new FlyballError(
      'DRIVER_MISSING',
      `node-llama-cpp has no binary for this machine. Install ${binaryPackage()} in the version of node-llama-cpp: ${installCommand()}`,
      { detail: { package: binaryPackage() }, cause },
    );
  }
}

/** A context of its own for each: one that several share mixes their tokens into one batch, which can change a digit. */
async function slotOf(
  weights: Weights,
  { window, threads }: { readonly window: number; readonly threads: number },
): Promise<Slot> {
  const context = await weights.createContext({ contextSize: window + MARGIN, sequences: 1, threads });
  return { context, sequence: context.getSequence() };
}

/** Contexts and weights go with the binding. */
async function unload({ binding }: Loaded): Promise<void> {
  await binding.dispose();
}

export function memoryFailure(cause: unknown, file: string): FlyballError {
  return new FlyballError(
    'MODEL_UNAVAILABLE',
    `There is not enough memory for ${file}: ${(cause as Error).message}. Use a smaller model, a smaller window (FLYBALL_LLAMA_WINDOW) or fewer sequences (FLYBALL_LLAMA_SEQUENCES).`,
    { detail: { reason: 'memory', mayHaveCost: false }, cause },
  );
}

function loadFailure(cause: unknown, library: LlamaLibrary, file: string, options: LoadOptions): FlyballError {
  if (cause instanceof FlyballError) return cause;
  if (cause instanceof library.InsufficientMemoryError)
    return memoryFailure(cause, `${file} with a window of ${options.window} tokens`);
  return new FlyballError(
    'MODEL_REJECTED',
    `${file} cannot be loaded: ${(cause as Error).message} Check that it is complete, and that this version of node-llama-cpp knows its architecture.`,
    { detail: { file, mayHaveCost: false }, cause },
  );
}
