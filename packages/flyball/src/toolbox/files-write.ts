import { type Changed, changed, type EffectContext, type Touch } from '../core/tool.js';
import { tool } from '../tools/define-tool.js';
import { absolutePath } from '../tools/rules/paths.js';
import type { DefinedTool } from '../tools/tool-definition.js';
import { failed, targetOf } from './files-access.js';
import type { FileChanges } from './files-change.js';
import { applyEdits, type Edit } from './files-edit.js';
import { presentAt } from './files-present.js';
import { countLines, decodeText, encodeText, type LineChange, lineChange } from './files-text.js';

/** What a change of a file reports. The previous state is kept under the effect's key. */
export interface ChangeResult {
  readonly path: string;
  readonly did: 'created' | 'replaced' | 'edited' | 'deleted' | 'moved';
  readonly lines: LineChange;
  readonly to?: string;
}

/** Arguments of `write_file`. */
export type WriteArgs = {
  readonly path: string;
  readonly content: string;
};

/** Arguments of `edit_file`. */
export type EditArgs = {
  readonly path: string;
  readonly edits: readonly Edit[];
};

const PATH = { type: 'string', description: 'relative to the project folder' } as const;

export function writeFileTool(changes: FileChanges): DefinedTool<WriteArgs, ChangeResult> {
  return tool({
    name: 'write_file',
    description:
      'Writes a whole text file, new or in place of the old one; folders on the way are made. ' +
      'To change parts of a file use edit_file, which needs fewer words and cannot lose the rest.',
    input: {
      type: 'object',
      properties: { path: PATH, content: { type: 'string' } },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    ...undoableWrite<WriteArgs>(changes),
    reserve: (args: WriteArgs) => amounts(typeof args?.content === 'string' ? countLines(args.content) : 0),
    touches: (args: WriteArgs) => writes(changes, args.path, countLines(args.content)),
    execute: (args: WriteArgs, how: EffectContext) => write(changes, args, how),
    present: describe,
  }) as DefinedTool<WriteArgs, ChangeResult>;
}

export function editFileTool(changes: FileChanges): DefinedTool<EditArgs, ChangeResult> {
  return tool({
    name: 'edit_file',
    description:
      'Replaces exact pieces of a text file. Each `old` must occur exactly once (or `occurrences` times), white space ' +
      'included; edits are applied in order, all or none. Read the file first.',
    input: {
      type: 'object',
      properties: {
        path: PATH,
        edits: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: {
            type: 'object',
            properties: {
              old: { type: 'string', minLength: 1 },
              new: { type: 'string' },
              occurrences: { type: 'integer', minimum: 1, description: 'how often old occurs; 1 where absent' },
            },
            required: ['old', 'new'],
            additionalProperties: false,
          },
        },
      },
      required: ['path', 'edits'],
      additionalProperties: false,
    },
    ...undoableWrite<EditArgs>(changes),
    reserve: (args: EditArgs) => amounts(linesOfEdits(args)),
    touches: (args: EditArgs) => ({
      reads: [absolutePath(changes.access.rules, args.path)],
      ...writes(changes, args.path, linesOfEdits(args)),
    }),
    execute: (args: EditArgs, how: EffectContext) => edit(changes, args, how),
    present: describe,
  }) as DefinedTool<EditArgs, ChangeResult>;
}

async function write(changes: FileChanges, args: WriteArgs, how: EffectContext): Promise<Changed<ChangeResult>> {
  const { real } = await targetOf(changes.access, args.path, 'write');
  return changes.alone([real], async () => {
    const target = await targetOf(changes.access, args.path, 'write');
    const before = await presentAt(changes.access, target);
    const after = Buffer.from(args.content, 'utf8');
    if (after.length > changes.access.maxBytes)
      throw failed(`The content has ${after.length} bytes; at most ${changes.access.maxBytes} are written.`, args.path);
    const lines = lineChange(before === undefined ? '' : (decodeText(before.bytes)?.text ?? ''), args.content);
    const result = { path: args.path, did: before === undefined ? 'created' : 'replaced', lines } as const;
    await changes.make({ target, before, after }, how, result);
    return reported(result);
  });
}

async function edit(changes: FileChanges, args: EditArgs, how: EffectContext): Promise<Changed<ChangeResult>> {
  const { real } = await targetOf(changes.access, args.path, 'write');
  return changes.alone([real], async () => {
    const target = await targetOf(changes.access, args.path, 'write');
    const before = await presentAt(changes.access, target);
    if (before === undefined) throw failed(`There is no file "${args.path}" to edit; write_file makes one.`, args.path);
    const decoded = decodeText(before.bytes);
    if (decoded === undefined) throw failed(`"${args.path}" is not text and cannot be edited.`, args.path);
    const text = applyEdits(decoded.text, args.edits);
    const result = { path: args.path, did: 'edited', lines: lineChange(decoded.text, text) } as const;
    await changes.make({ target, before, after: encodeText({ ...decoded, text }) }, how, result);
    return reported(result);
  });
}

/** The rules that all changes share: by its key a change is verified after a crash and undone by a rollback. */
export function undoableWrite<A>(changes: FileChanges) {
  return {
    effect: {
      class: 'undoable',
      verify: (_args: A, { key }: EffectContext) => changes.verify<ChangeResult>(key),
      compensate: (_args: A, _result: ChangeResult, { key, signal }: EffectContext) =>
        changes.restore(key.replace(/!undo$/, ''), signal),
    },
    scopes: ['files:write'],
  } as const;
}

export function reported(result: ChangeResult): Changed<ChangeResult> {
  return changed(result, amounts(Math.max(result.lines.added, result.lines.removed)));
}

/**
 * What the arguments tell. Lines that a replaced or deleted file loses are only known when it is read: one such call
 * can end beyond a limit, and nothing starts after it.
 */
export function amounts(linesChanged: number): { readonly filesChanged: number; readonly linesChanged: number } {
  return { filesChanged: 1, linesChanged };
}

export function writes(changes: FileChanges, path: string, lines: number): Touch {
  return { writes: [{ path: absolutePath(changes.access.rules, path), lines }] };
}

/** Arguments are counted before they are checked, so nothing about them is believed. */
function linesOfEdits(args: EditArgs | undefined): number {
  const edits: readonly unknown[] = Array.isArray(args?.edits) ? args.edits : [];
  return edits.reduce<number>((sum, each) => {
    const { old, new: fresh, occurrences = 1 } = (each ?? {}) as Partial<Edit>;
    const lines = [old, fresh].map((text) => (typeof text === 'string' ? countLines(text) : 0));
    return sum + Math.max(...lines) * (Number.isInteger(occurrences) && occurrences > 0 ? occurrences : 1);
  }, 0);
}

export function describe({ path, did, lines, to }: ChangeResult): string {
  if (did === 'moved') return `Moved ${path} to ${to ?? ''}.`;
  return `${did[0]?.toUpperCase()}${did.slice(1)} ${path} (+${lines.added} −${lines.removed} lines).`;
}
