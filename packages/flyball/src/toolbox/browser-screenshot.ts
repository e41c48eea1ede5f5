import { ConfigError } from '../core/errors.js';
import { type Changed, changed, type EffectContext, type TrifectaLeg } from '../core/tool.js';
import { tool } from '../tools/define-tool.js';
import type { DefinedTool } from '../tools/tool-definition.js';
import type { BrowserSessions } from './browser-sessions.js';
import { accessOf, type FilesOptions, fileChanges } from './files.js';
import { targetOf } from './files-access.js';
import type { FileChanges } from './files-change.js';
import { presentAt } from './files-present.js';
import { type ChangeResult, undoableWrite, writes } from './files-write.js';

export type ScreenshotArgs = { readonly path: string };

/** A picture of the page as a file, written and undone as every other file is. */
export function screenshotTool(
  sessions: BrowserSessions,
  files: Pick<FilesOptions, 'allow' | 'undoFolder'>,
  common: { readonly legs: readonly TrifectaLeg[]; readonly timeoutMs: number },
): DefinedTool<ScreenshotArgs, ChangeResult> {
  const changes = fileChanges(accessOf(files), files.undoFolder);
  if (changes === undefined) throw new ConfigError('browser: screenshots need a folder that may be written.');
  const { effect } = undoableWrite<ScreenshotArgs>(changes);
  return tool({
    ...common,
    name: 'browser_screenshot',
    description: 'Saves a picture of the visible part of the open page as a PNG file.',
    input: {
      type: 'object',
      properties: { path: { type: 'string', description: 'a new file that ends with .png' } },
      required: ['path'],
      additionalProperties: false,
    },
    effect,
    scopes: ['web:browse'],
    reserve: () => ({ filesChanged: 1 }),
    touches: ({ path }: ScreenshotArgs) => writes(changes, path, 0),
    execute: ({ path }: ScreenshotArgs, how: EffectContext) =>
      sessions.use(how, 'needs-a-page', async (session) => save(changes, path, await session.screenshot(), how)),
    present: ({ path, did }: ChangeResult) => `The picture is at ${path} (${did}).`,
  }) as DefinedTool<ScreenshotArgs, ChangeResult>;
}

async function save(
  changes: FileChanges,
  path: string,
  after: Buffer,
  how: EffectContext,
): Promise<Changed<ChangeResult>> {
  const target = await targetOf(changes.access, path, 'write');
  return changes.alone([target.real], async () => {
    const before = await presentAt(changes.access, target);
    const lines = { added: 0, removed: 0 };
    const result = { path, did: before === undefined ? 'created' : 'replaced', lines } as const;
    await changes.make({ target, before, after }, how, result);
    return changed(result, { filesChanged: 1 });
  });
}
