import type { Changed, EffectContext } from '../core/tool.js';
import { tool } from '../tools/define-tool.js';
import type { DefinedTool } from '../tools/tool-definition.js';
import { failed, targetOf } from './files-access.js';
import type { FileChanges } from './files-change.js';
import { presentAt } from './files-present.js';
import { countLines, decodeText } from './files-text.js';
import { amounts, type ChangeResult, describe, reported, undoableWrite, writes } from './files-write.js';

/** Arguments of `move_file`. */
export type MoveArgs = {
  readonly path: string;
  readonly to: string;
};

/** Arguments of `delete_file`. */
export type DeleteArgs = {
  readonly path: string;
};

export function moveFileTool(changes: FileChanges): DefinedTool<MoveArgs, ChangeResult> {
  return tool({
    name: 'move_file',
    description: 'Moves or renames one file. Never replaces another file; folders on the way are made.',
    input: {
      type: 'object',
      properties: { path: { type: 'string' }, to: { type: 'string', description: 'its new path' } },
      required: ['path', 'to'],
      additionalProperties: false,
    },
    ...undoableWrite<MoveArgs>(changes),
    reserve: () => ({ filesChanged: 2 }),
    touches: ({ path, to }: MoveArgs) => ({
      writes: [path, to].flatMap((each) => writes(changes, each, 0).writes ?? []),
    }),
    execute: (args: MoveArgs, how: EffectContext) => move(changes, args, how),
    present: describe,
  }) as DefinedTool<MoveArgs, ChangeResult>;
}

export function deleteFileTool(changes: FileChanges): DefinedTool<DeleteArgs, ChangeResult> {
  return tool({
    name: 'delete_file',
    description: 'Deletes one file. Folders are not deleted.',
    input: {
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
      additionalProperties: false,
    },
    ...undoableWrite<DeleteArgs>(changes),
    reserve: () => amounts(0),
    touches: ({ path }: DeleteArgs) => writes(changes, path, 0),
    execute: (args: DeleteArgs, how: EffectContext) => remove(changes, args, how),
    present: describe,
  }) as DefinedTool<DeleteArgs, ChangeResult>;
}

async function move(changes: FileChanges, args: MoveArgs, how: EffectContext): Promise<ChangeResult> {
  const [from, to] = await Promise.all([
    targetOf(changes.access, args.path, 'write'),
    targetOf(changes.access, args.to, 'write'),
  ]);
  return changes.alone([from.real, to.real], async () => {
    const present = await presentAt(changes.access, from);
    if (present === undefined) throw failed(`There is no file "${args.path}" to move.`, args.path);
    if ((await presentAt(changes.access, to)) !== undefined)
      throw failed(`"${args.to}" exists already. Delete it first, or choose another name.`, args.to);
    const result = { path: args.path, did: 'moved', lines: { added: 0, removed: 0 }, to: args.to } as const;
    await changes.move({ from, to, present }, how, result);
    return result;
  });
}

async function remove(changes: FileChanges, { path }: DeleteArgs, how: EffectContext): Promise<Changed<ChangeResult>> {
  const target = await targetOf(changes.access, path, 'write');
  return changes.alone([target.real], async () => {
    const before = await presentAt(changes.access, target);
    if (before === undefined) throw failed(`There is no file "${path}" to delete.`, path);
    const removed = countLines(decodeText(before.bytes)?.text ?? '');
    const result = { path, did: 'deleted', lines: { added: 0, removed } } as const;
    await changes.make({ target, before, after: undefined }, how, result);
    return reported(result);
  });
}
