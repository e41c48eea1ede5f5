import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A real model of the smallest kind: one table with a vector for each word. Written out byte by byte in the format that
 * ONNX files have (protobuf), with the tokenizer that goes with it.
 */

const FLOAT = 1;
const INT64 = 7;

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return [...bytes, left];
}

function field(number: number, value: number): number[] {
  return [...varint(number * 8), ...varint(value)];
}

function bytes(number: number, content: readonly number[] | string): number[] {
  const data = typeof content === 'string' ? [...Buffer.from(content)] : content;
  return [...varint(number * 8 + 2), ...varint(data.length), ...data];
}

/** A named input or output: its type and the sizes of its dimensions, by name or by number. */
function valueInfo(name: string, type: number, sizes: readonly (string | number)[]): number[] {
  const shape = sizes.flatMap((size) => bytes(1, typeof size === 'string' ? bytes(2, size) : field(1, size)));
  return [...bytes(1, name), ...bytes(2, bytes(1, [...field(1, type), ...bytes(2, shape)]))];
}

function node(operator: string, inputs: readonly string[], outputs: readonly string[]): number[] {
  const named = [...inputs.flatMap((name) => bytes(1, name)), ...outputs.flatMap((name) => bytes(2, name))];
  return bytes(1, [...named, ...bytes(4, operator)]);
}

/** Rounded to eight bits by one scale for the whole batch, as the quantized files on the hub do it inside. */
const ROUNDED = [
  ...node('Gather', ['table', 'input_ids'], ['exact']),
  ...node('DynamicQuantizeLinear', ['exact'], ['rounded', 'scale', 'zero']),
  ...node('DequantizeLinear', ['rounded', 'scale', 'zero'], ['last_hidden_state']),
];
const EXACT = node('Gather', ['table', 'input_ids'], ['last_hidden_state']);

function model(vectors: readonly (readonly number[])[], nodes: readonly number[]): Uint8Array {
  const width = vectors[0]?.length ?? 0;
  const raw = Buffer.from(Float32Array.from(vectors.flat()).buffer);
  const table = [
    ...field(1, vectors.length),
    ...field(1, width),
    ...field(2, FLOAT),
    ...bytes(8, 'table'),
    ...bytes(9, [...raw]),
  ];
  const graph = [
    ...nodes,
    ...bytes(2, 'words'),
    ...bytes(5, table),
    ...['input_ids', 'attention_mask', 'token_type_ids'].flatMap((name) =>
      bytes(11, valueInfo(name, INT64, ['batch', 'length'])),
    ),
    ...bytes(12, valueInfo('last_hidden_state', FLOAT, ['batch', 'length', width])),
  ];
  return Uint8Array.from([...field(1, 8), ...bytes(7, graph), ...bytes(8, field(2, 13))]);
}

/** Writes the folder. A text is the average of the vectors of its words; unknown words have the first one. */
export async function writeTinyModel(
  folder: string,
  words: Readonly<Record<string, readonly number[]>>,
): Promise<void> {
  const width = Object.values(words)[0]?.length ?? 1;
  const unknown = Array.from({ length: width }, () => 0.01);
  const vocabulary = Object.fromEntries(['[UNK]', '[PAD]', ...Object.keys(words)].map((word, nth) => [word, nth]));
  await mkdir(join(folder, 'onnx'), { recursive: true });
  const table = [unknown, unknown.map(() => 0), ...Object.values(words)];
  await writeFile(join(folder, 'onnx', 'model.onnx'), model(table, EXACT));
  await writeFile(join(folder, 'onnx', 'model_quantized.onnx'), model(table, ROUNDED));
  const json = (name: string, value: unknown): Promise<void> => writeFile(join(folder, name), JSON.stringify(value));
  await json('config.json', { model_type: 'bert', architectures: ['BertModel'], hidden_size: width });
  await json('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    unk_token: '[UNK]',
    pad_token: '[PAD]',
    model_max_length: 64,
  });
  await json('tokenizer.json', {
    version: '1.0',
    added_tokens: ['[UNK]', '[PAD]'].map((content, id) => ({
      id,
      content,
      special: true,
      lstrip: false,
      rstrip: false,
      single_word: false,
      normalized: false,
    })),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', unk_token: '[UNK]', vocab: vocabulary },
  });
}
