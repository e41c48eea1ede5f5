import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ConfigError } from '../../core/errors.js';

/** The forms of the weights that the package knows, and how it names their files; the first that is there is taken. */
const SUFFIXES = {
  fp32: '',
  q8: '_quantized',
  fp16: '_fp16',
  int8: '_int8',
  uint8: '_uint8',
  q4: '_q4',
  q4f16: '_q4f16',
  bnb4: '_bnb4',
} as const;

export type Dtype = keyof typeof SUFFIXES;

export interface ModelFolder {
  readonly path: string;
  readonly name: string;
  readonly dtype: Dtype;
  /** Where the weights lie below the folder: `onnx`, or the folder itself. */
  readonly subfolder: '' | 'onnx';
  /** Length of the hidden state, where the configuration says it. */
  readonly dimensions: number | undefined;
  /** Of the weights, the configuration and the tokenizer: everything in the folder that changes a vector. */
  readonly digest: string;
}

const DESCRIPTIONS = ['config.json', 'tokenizer.json', 'tokenizer_config.json'] as const;
/** What model families call the length of their hidden state. */
const LENGTHS = ['hidden_size', 'dim', 'd_model', 'n_embd'] as const;
const CHUNK = 1024 * 1024;

/** Reads every file once, before anything is embedded: what is missing is said here, and a changed model has another id. */
export function modelFolder(folder: string, wanted?: Dtype): ModelFolder {
  const path = resolve(folder); // an absolute path can never be taken for the name of a model on a server
  for (const file of DESCRIPTIONS)
    if (!existsSync(join(path, file)))
      throw new ConfigError(`${path} is no model folder: it has no ${file}. ${LAYOUT}`);
  const { dtype, subfolder } = weightsIn(path, wanted);
  const weights = join(path, subfolder);
  const parts = readdirSync(weights).filter((file) => file.startsWith(`model${SUFFIXES[dtype]}.onnx`)); // with `.onnx_data`
  const files = [...DESCRIPTIONS.map((file) => join(path, file)), ...parts.sort().map((file) => join(weights, file))];
  return { path, name: basename(path), dtype, subfolder, dimensions: dimensionsIn(path), digest: digestOf(files) };
}

const LAYOUT =
  'It needs config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx, as models on Hugging Face have them that are marked for Transformers.js.';

function weightsIn(path: string, wanted: Dtype | undefined): Pick<ModelFolder, 'dtype' | 'subfolder'> {
  const known = Object.keys(SUFFIXES) as readonly Dtype[];
  if (wanted !== undefined && !known.includes(wanted))
    throw new ConfigError(`dtype must be one of ${known.join(', ')}, got "${wanted}".`);
  for (const dtype of wanted === undefined ? known : [wanted])
    for (const subfolder of ['onnx', ''] as const)
      if (existsSync(join(path, subfolder, `model${SUFFIXES[dtype]}.onnx`))) return { dtype, subfolder };
  const file = wanted === undefined ? 'model.onnx' : `model${SUFFIXES[wanted]}.onnx`;
  throw new ConfigError(`${path} is no model folder: it has no onnx/${file}. ${LAYOUT}`);
}

function dimensionsIn(path: string): number | undefined {
  let config: unknown;
  try {
    config = JSON.parse(readFileSync(join(path, 'config.json'), 'utf8'));
  } catch (cause) {
    throw new ConfigError(`${join(path, 'config.json')} is no JSON: ${String(cause)}. Fetch the model again.`);
  }
  const values = new Map(Object.entries(config ?? {}));
  return LENGTHS.map((name) => values.get(name)).find((value) => Number.isInteger(value) && value >= 1);
}

/** Piece by piece: weights can be larger than what one buffer holds. */
function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK);
  for (const file of files) {
    const open = openSync(file, 'r');
    try {
      for (let read = readSync(open, chunk); read > 0; read = readSync(open, chunk))
        hash.update(chunk.subarray(0, read));
    } finally {
      closeSync(open);
    }
    hash.update(`\0${basename(file)}\0`); // so that bytes cannot wander from one file to the next
  }
  return hash.digest('hex').slice(0, 16);
}
