import type { Entry, RunEvent } from 'flyball';
import { blankPrivate } from 'flyball/internal';
import type { Fleet } from '../agents/fleet.js';
import { comparePositions, type Position } from './position.js';
import type { EntryItem } from './run-feed.js';
import { RunFold } from './run-fold.js';
import type { RunFolds } from './run-folds.js';
import type { WatchedRun } from './watched-run.js';

/** Pages that readers of a run share: those who begin together go on together. */
const KEPT_PAGES = 4;

/** Journals in pages, as they may leave the house. */
export class JournalPages {
  private readonly fleet: Pick<Fleet, 'entries'>;
  private readonly folds: RunFolds;
  private readonly clean: (json: string) => string;

  constructor(fleet: Pick<Fleet, 'entries'>, folds: RunFolds, clean: (json: string) => string) {
    this.fleet = fleet;
    this.folds = folds;
    this.clean = clean;
  }

  async all(runId: string): Promise<readonly EntryItem[]> {
    const entries = await this.fleet.entries(runId);
    const fold = await this.folds.current(runId);
    return entries.map((entry) => this.item(entry, fold));
  }

  /** All entries, and what exactly these say. */
  async whole(runId: string): Promise<{ readonly items: readonly EntryItem[]; readonly fold: RunFold }> {
    const entries = await this.fleet.entries(runId);
    const fold = new RunFold(runId, { keepsNames: true });
    for (const entry of entries) fold.apply(entry);
    return { items: entries.map((entry) => this.item(entry, fold)), fold };
  }

  async page(runId: string, after: Position | undefined, limit: number): Promise<readonly EntryItem[]> {
    const entries = await this.fleet.entries(runId, { ...(after === undefined ? {} : { after }), limit });
    if (entries.length === 0) return [];
    const fold = await this.folds.current(runId); // read after them: it knows every mark that could concern them
    return entries.map((entry) => this.item(entry, fold));
  }

  /** A page for a reader of a watched run. */
  onward(run: WatchedRun, after: Position | undefined, limit: number): Promise<readonly EntryItem[]> {
    const key = `${after?.generation ?? ''}.${after?.seq ?? ''} ${limit}`;
    const known = run.pages.get(key);
    if (known !== undefined) return known;
    const read = this.readOnward(run.runId, after, limit);
    run.pages.set(key, read);
    const forget = (): void => {
      if (run.pages.get(key) === read) run.pages.delete(key);
    };
    // one that is not full is the end of the journal as it was: the next reader finds more
    read.then((items) => (items.length < limit ? forget() : undefined), forget);
    for (const oldest of run.pages.keys()) {
      if (run.pages.size <= KEPT_PAGES) break;
      run.pages.delete(oldest);
    }
    return read;
  }

  item(entry: Entry, { privacy }: RunFold): EntryItem {
    const { generation, seq, at, activeMs, event } = entry;
    const plain = { generation, seq, at, activeMs, event: withoutMachine(event) };
    const text = this.clean(JSON.stringify(privacy.isEmpty ? plain : blankPrivate(plain, privacy)));
    return new TextItem({ generation, seq }, text);
  }

  /** The fold of a watched run hears of every mark: where it reaches up to the page, nothing more has to be read. */
  private async readOnward(runId: string, after: Position | undefined, limit: number): Promise<readonly EntryItem[]> {
    const entries = await this.fleet.entries(runId, { ...(after === undefined ? {} : { after }), limit });
    const last = entries.at(-1);
    if (last === undefined) return [];
    const known = this.folds.known(runId);
    const reaches = known?.position !== undefined && comparePositions(known.position, last) >= 0;
    const fold = reaches ? known : await this.folds.current(runId);
    return entries.map((entry) => this.item(entry, fold));
  }
}

/** The object is made from the text when somebody wants it: a live entry may change under its reader's hands. */
class TextItem implements EntryItem {
  readonly kind = 'entry';
  readonly position: Position;
  readonly text: string;

  constructor(position: Position, text: string) {
    this.position = position;
    this.text = text;
  }

  get entry(): Entry {
    return JSON.parse(this.text) as Entry;
  }
}

/** Which process worked on the run tells attempts apart; on what machine is for those who run it. */
function withoutMachine(event: RunEvent): RunEvent {
  if (event.type !== 'attempt-start') return event;
  const id = event.owner.id.split(':').at(-1) ?? ''; // it begins with the host
  return { ...event, owner: { id, host: '', bootId: '', pid: 0, startTime: '' } };
}
