import type { EffectId, Entry } from '../core/events.js';
import type { JsonSchema } from '../core/schema.js';
import type { ToolRef } from '../core/tool.js';
import { tool } from '../tools/define-tool.js';
import type { DefinedTool } from '../tools/tool-definition.js';
import { EffectFold } from '../views/effects.js';
import { plainSchema } from './plain-schema.js';

/** Something for a person to look at. Nobody is waited for. */
export interface Shown {
  readonly title?: string;
  readonly text?: string;
  readonly table?: { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** Anything else, as data. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** What was shown, where and when. */
export interface Display {
  readonly effect: EffectId;
  readonly generation: number;
  readonly at: number;
  readonly tool: string;
  readonly shown: Shown;
}

/** The name of the display tool. */
export const DISPLAY_TOOL = 'show';
const DISPLAY_TAG = 'display';
const MOST_TEXT = 20_000;
const MOST_DATA_BYTES = 50_000;

const INPUT: JsonSchema = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 200 },
    text: { type: 'string', minLength: 1, maxLength: MOST_TEXT, description: 'Text, as Markdown or plain.' },
    table: {
      type: 'object',
      properties: {
        columns: { type: 'array', items: { type: 'string', maxLength: 200 }, minItems: 1, maxItems: 20 },
        rows: {
          type: 'array',
          items: { type: 'array', items: { type: 'string', maxLength: 1_000 }, maxItems: 20 },
          maxItems: 200,
        },
      },
      required: ['columns', 'rows'],
      additionalProperties: false,
    },
    data: { type: 'object', description: 'Other data, for a closer look.' },
  },
  additionalProperties: false,
};

/**
 * Shows something to people and does not wait. Repeating it changes nothing, and its result holds what is shown, so that
 * every interface can read it off the journal (`displaysOf`).
 */
export function displayTool(
  options: { readonly name?: string; readonly description?: string } = {},
): DefinedTool<Shown, Shown> {
  const made = tool({
    name: DISPLAY_TOOL,
    description:
      'Shows a text, a table or data to the person who follows the work, and continues at once. Not for questions: nobody answers it.',
    ...options,
    input: plainSchema<Shown>(INPUT, problemWith),
    inputJsonSchema: INPUT,
    effect: 'idempotent',
    tags: [DISPLAY_TAG],
    execute: async (shown: Shown) => shown,
    simulate: (shown: Shown) => shown,
    present: () => 'It is shown.',
  });
  return made as unknown as DefinedTool<Shown, Shown>;
}

function problemWith({ text, table, data }: Shown): string | undefined {
  if (text === undefined && table === undefined && data === undefined) return 'pass a text, a table or data to show';
  const stray = table?.rows.findIndex((row) => row.length !== table.columns.length) ?? -1;
  if (stray >= 0) return `row ${stray + 1} does not have one cell per column`;
  const bytes = data === undefined ? 0 : Buffer.byteLength(JSON.stringify(data));
  return bytes > MOST_DATA_BYTES ? `the data has ${bytes} bytes; at most ${MOST_DATA_BYTES} are allowed` : undefined;
}

/** What was shown in a run, oldest first. `names` are those of its display tools. */
export function displaysOf(entries: readonly Entry[], names: readonly string[] = [DISPLAY_TOOL]): readonly Display[] {
  const fold = new EffectFold();
  return entries.flatMap((entry): readonly Display[] => {
    const effect = fold.apply(entry);
    const { event, generation, at } = entry;
    if (event.type !== 'complete' || effect?.verb !== 'call' || !names.includes(effect.name)) return [];
    const shown = valueIn(event.result);
    return shown === undefined ? [] : [{ effect: event.id, generation, at, tool: effect.name, shown }];
  });
}

/** A call's result is kept with its text beside it. */
function valueIn(result: unknown): Shown | undefined {
  const { value } = (result ?? {}) as { readonly value?: unknown };
  return typeof value === 'object' && value !== null ? (value as Shown) : undefined;
}

/** functional: does something. display: shows something. blocking: waits for a person. */
export type ToolKind = 'functional' | 'display' | 'blocking';

/** Whether a tool acts, asks a person or shows something. */
export function kindOfTool(of: ToolRef): ToolKind {
  if (of.asks !== undefined) return 'blocking';
  return (of as Partial<DefinedTool>).tags?.includes(DISPLAY_TAG) === true ? 'display' : 'functional';
}
