import { existsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FlyballError } from '../../core/errors.js';
import type { HistoryItem } from './history.js';

/** What this adapter needs of node-llama-cpp. Not its types: those would make it a dependency of everybody's build. */
export interface LlamaLibrary {
  getLlama(options: Readonly<Record<string, unknown>>): Promise<Binding>;
  resolveChatWrapper(weights: Weights): ChatWrapper;
  LlamaText(values: readonly unknown[]): RenderedText;
  readonly LlamaChat: new (parts: { readonly contextSequence: Sequence; readonly chatWrapper: ChatWrapper }) => Chat;
  readonly InsufficientMemoryError: new (...given: never[]) => Error;
  readonly NoBinaryFoundError: new (...given: never[]) => Error;
}

export interface Binding {
  readonly cpuMathCores: number;
  loadModel(options: Readonly<Record<string, unknown>>): Promise<Weights>;
  createGrammarForJsonSchema(schema: unknown): Promise<Grammar>;
  dispose(): Promise<void>;
}

export interface Weights {
  readonly trainContextSize: number;
  readonly tokens: { readonly bos: number | null; readonly shouldPrependBosToken: boolean };
  readonly tokenizer: unknown;
  tokenize(text: string, specialTokens: boolean): readonly number[];
  detokenize(tokens: readonly number[], specialTokens: boolean): string;
  createContext(options: Readonly<Record<string, unknown>>): Promise<Context>;
}

export interface Context {
  getSequence(): Sequence;
  dispose(): Promise<void>;
}

export interface Sequence {
  readonly contextTokens: readonly number[];
  readonly tokenMeter: { getState(): Metered; diff(since: Metered): Metered };
  clearHistory(): Promise<void>;
}

export interface Metered {
  readonly usedInputTokens: number;
  readonly usedOutputTokens: number;
}

export type Grammar = object;
export type Functions = Readonly<Record<string, { readonly description?: string; readonly params?: unknown }>>;

/** Writes a conversation in the format of one family of models. */
export interface ChatWrapper {
  generateContextState(given: {
    readonly chatHistory: readonly HistoryItem[];
    readonly availableFunctions?: Functions;
    readonly documentFunctionParams?: boolean;
  }): ContextState;
}

export interface ContextState {
  readonly contextText: RenderedText;
  readonly noPrefixTrigger?: unknown;
}

export interface RenderedText {
  readonly values: readonly unknown[];
  tokenize(tokenizer: unknown): readonly number[];
}

export interface Chat {
  generateResponse(history: readonly HistoryItem[], options: Readonly<Record<string, unknown>>): Promise<ChatResponse>;
}

export interface ChatResponse {
  readonly functionCalls?: readonly { readonly functionName: string; readonly params: unknown }[];
  readonly metadata: { readonly stopReason: string };
}

export const PACKAGE = 'node-llama-cpp';

/** The package with the binary for this machine's processor: on a Mac it also drives the GPU. */
export function binaryPackage(): string {
  const system = { darwin: 'mac', win32: 'win' }[platform() as string] ?? platform();
  return `@node-llama-cpp/${system}-${arch()}${system === 'mac' && arch() === 'arm64' ? '-metal' : ''}`;
}

/** Without `--omit=optional`, npm also installs every GPU binary for the system: 725 MB on Linux. */
export function installCommand(): string {
  return `npm install --omit=optional ${PACKAGE}@3 ${binaryPackage()}@3`;
}

export async function loadLibrary(load: (() => Promise<unknown>) | undefined): Promise<LlamaLibrary> {
  const name = PACKAGE; // not written where it is imported: the package is the user's to install, with its types
  try {
    return (await (load?.() ?? import(entryFrom(process.cwd()) ?? name))) as LlamaLibrary;
  } catch (cause) {
    throw new FlyballError(
      'DRIVER_MISSING',
      `Running a GGUF file needs the package ${PACKAGE}. Install it with the binary for this machine only: ${installCommand()} (${(cause as Error).message})`,
      { detail: { package: PACKAGE }, cause },
    );
  }
}

/** The package as the project in the working directory has it: a flyball that is installed globally does not see that one. */
function entryFrom(folder: string): string | undefined {
  const entry = join(folder, 'node_modules', PACKAGE, 'dist', 'index.js');
  if (existsSync(entry)) return pathToFileURL(entry).href;
  const parent = dirname(folder);
  return parent === folder ? undefined : entryFrom(parent);
}
