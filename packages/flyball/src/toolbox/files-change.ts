import { rename, rm, rmdir } from 'node:fs/promises';
import { posix } from 'node:path';
import type { EffectContext, Verification } from '../core/tool.js';
import { type FileAccess, failed, type Target, targetOf, withFolder } from './files-access.js';
import { codeOf, type HeldFolder } from './files-held.js';
import { assertUntouched, type FileState, isSame, type Present, presentAt, stateOf } from './files-present.js';
import { replaceFile, syncChanged } from './files-replace.js';
import { type FileChange, type UndoFolder, type UndoRecord, undoId } from './files-undo.js';

export interface PlannedChange {
  readonly target: Target;
  readonly before: Present | undefined;
  /** Undefined removes the file. */
  readonly after: Buffer | undefined;
}

/** Changes files so that each change can be verified and undone by its key. */
export class FileChanges {
  readonly access: FileAccess;
  private readonly undo: UndoFolder;
  private readonly queues = new Map<string, Promise<unknown>>();

  constructor(access: FileAccess, undo: UndoFolder) {
    this.access = access;
    this.undo = undo;
  }

  /** One change of a file at a time: two edits side by side must not lose each other. */
  async alone<T>(reals: readonly string[], work: () => Promise<T>): Promise<T> {
    const mine = Promise.allSettled(reals.map((real) => this.queues.get(real))).then(work);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    for (const real of reals) this.queues.set(real, settled);
    try {
      return await mine;
    } finally {
      for (const real of reals) if (this.queues.get(real) === settled) this.queues.delete(real);
    }
  }

  /** Keeps what was there, then replaces or removes it. */
  async make({ target, before, after }: PlannedChange, how: EffectContext, result: unknown): Promise<void> {
    const change: FileChange = {
      real: target.real,
      ...(before === undefined ? {} : { before: before.state }),
      ...(after === undefined ? {} : { after: { ...stateOf(after), mode: before?.state.mode ?? 0 } }),
    };
    const record = { ...recordOf(how.key, target, result), kind: 'replace' as const, changes: [change] };
    await this.undo.save(record, before === undefined ? [] : [before.bytes]);
    how.signal.throwIfAborted();
    await this.put({ target, before, after }, { id: undoId(how.key) });
  }

  /** The file keeps its bytes, so only its two names are recorded. */
  async move(
    { from, to, present }: { readonly from: Target; readonly to: Target; readonly present: Present },
    how: EffectContext,
    result: unknown,
  ): Promise<void> {
    const changes = [
      { real: from.real, before: present.state },
      { real: to.real, after: present.state },
    ];
    await this.undo.save({ ...recordOf(how.key, to, result), kind: 'move', changes }, []);
    how.signal.throwIfAborted();
    await this.rename(from, to, present);
  }

  async verify<R>(key: string): Promise<Verification<R>> {
    const kept = await this.undo.load(key);
    if (kept === undefined) return { happened: 'no' }; // the record comes before the change
    const { changes, result } = kept.record;
    const now = await this.statesNow(changes);
    if (changes.every(({ after }, at) => isSame(now[at], after))) return { happened: 'yes', result: result as R };
    return changes.every(({ before }, at) => isSame(now[at], before)) ? { happened: 'no' } : { happened: 'unknown' };
  }

  /** Asserts the state before the change. A file that somebody has changed since is left alone: their work is in it. */
  async restore(key: string, signal: AbortSignal): Promise<void> {
    const kept = await this.undo.load(key);
    if (kept === undefined)
      throw failed(`What ${key} changed cannot be undone: its previous state is no longer stored.`, key);
    const { changes, madeFolders, kind } = kept.record;
    const reals = changes.map(({ real }) => real);
    await this.alone(reals, async () => {
      const now = await this.statesNow(changes);
      if (!changes.every(({ before }, at) => isSame(now[at], before))) {
        const touched = changes.find(({ after }, at) => !isSame(now[at], after));
        if (touched !== undefined)
          throw failed(`${touched.real} was changed by somebody else since, so it was not undone.`, touched.real);
        signal.throwIfAborted();
        await (kind === 'move' ? this.moveBack(changes) : this.putBack(key, changes, kept.contents));
      }
      await this.removeFolders(madeFolders);
    });
  }

  private async putBack(key: string, changes: readonly FileChange[], contents: readonly Buffer[]): Promise<void> {
    let next = 0;
    for (const { real, before } of changes) {
      const target = await targetOf(this.access, real, 'write');
      const planned = {
        target,
        before: await presentAt(this.access, target),
        after: before === undefined ? undefined : contents[next++],
      };
      await this.put(planned, { id: undoId(`${key}!undo`), ...(before === undefined ? {} : { mode: before.mode }) });
    }
  }

  private async moveBack([from, to]: readonly FileChange[]): Promise<void> {
    const source = await targetOf(this.access, to?.real ?? '', 'write');
    const present = await presentAt(this.access, source);
    if (present === undefined) throw failed(`${source.path} is gone; it cannot be moved back.`, source.path);
    await this.rename(source, await targetOf(this.access, from?.real ?? '', 'write'), present);
  }

  private put(planned: PlannedChange, how: { readonly id: string; readonly mode?: number }): Promise<void> {
    const { target, before, after } = planned;
    const kept = before === undefined ? {} : { mode: before.state.mode, owner: before.stats };
    return withFolder(
      this.access,
      target,
      async (folder) => {
        const beforeRename = (): Promise<void> => assertUntouched(folder, target, before);
        if (after !== undefined)
          return replaceFile(folder, { name: target.name, bytes: after, beforeRename, ...kept, ...how });
        await beforeRename();
        await folder.assertHeld();
        await rm(folder.at(target.name));
        await syncChanged(folder);
      },
      after !== undefined,
    );
  }

  private async rename(from: Target, to: Target, present: Present): Promise<void> {
    const moveInto = (source: HeldFolder) =>
      withFolder(
        this.access,
        to,
        async (destination) => {
          await assertUntouched(destination, to, undefined);
          await rename(source.at(from.name), destination.at(to.name)).catch((error: unknown) => {
            if (codeOf(error) !== 'EXDEV') throw error;
            throw failed(`${to.path} is on another disk. Write it there and delete ${from.path}.`, to.path);
          });
          await syncChanged(source, destination);
        },
        true,
      );
    await withFolder(this.access, from, async (source) => {
      await assertUntouched(source, from, present);
      await moveInto(source);
    });
  }

  private statesNow(changes: readonly FileChange[]): Promise<readonly (FileState | undefined)[]> {
    return Promise.all(
      changes.map(async ({ real }) => {
        const target = await targetOf(this.access, real, 'write');
        return (await presentAt(this.access, target))?.state;
      }),
    );
  }

  /** Only those that are empty again: others have moved in. */
  private async removeFolders(folders: readonly string[]): Promise<void> {
    for (const real of [...folders].reverse()) {
      const target = await targetOf(this.access, real, 'write');
      if (target.missing.length > 0) continue;
      await withFolder(this.access, target, (parent) => rmdir(parent.at(target.name))).catch((error: unknown) => {
        if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error) ?? '')) throw error;
      });
    }
  }
}

function recordOf(
  key: string,
  made: Target,
  result: unknown,
): Pick<UndoRecord, 'version' | 'key' | 'madeFolders' | 'result'> {
  const existing = made.folders.slice(0, made.folders.length - made.missing.length);
  const madeFolders = made.missing.map((_name, at) =>
    posix.join(made.root, ...existing, ...made.missing.slice(0, at + 1)),
  );
  return { version: 1, key, madeFolders, result };
}
