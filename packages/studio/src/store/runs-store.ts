import { batch, computed, signal } from '@preact/signals';
import { api } from '../api/client.js';
import type { EventStream } from '../api/event-stream.js';
import type { RunCard, RunList } from '../api/types.js';
import { noteAsks } from '../inbox/open-asks.js';
import { noteState, noteStream } from '../live/connection.js';
import { FrameBatch } from '../live/frame.js';
import { follow } from '../live/streams.js';
import { fits, merged, type RunFilter } from './runs-order.js';

const PAGE = 100;
const STREAM = 'runs';

/** The list of runs: pages from the server, kept up to date by its stream. */
export class RunsStore {
  readonly filter = signal<RunFilter>({});
  readonly loading = signal(false);
  readonly problem = signal<unknown>(undefined);
  readonly cards = computed(() => this.known.value.filter((card) => fits(card, this.filter.value)));
  readonly hasMore = computed(() => this.cursor.value !== undefined);
  readonly loadedOnce = signal(false);
  /** Agents seen in any card, for the filter. */
  readonly agents = computed(() => [...new Set(this.known.value.map(({ agent }) => agent))].sort());
  private readonly known = signal<readonly RunCard[]>([]);
  private readonly cursor = signal<string | undefined>(undefined);
  private readonly arrivals = new FrameBatch<RunCard>((cards) => this.add(cards));
  private stream: EventStream | undefined;
  private asked: AbortController | undefined;

  open(): void {
    this.stream = follow('cards', {
      event: ({ event, data }) => {
        if (event === 'card') this.hear(JSON.parse(data) as RunCard);
        // said on every connection: what changed while we were away has to be asked for
        if (event === 'hello') void this.load();
        return undefined;
      },
      state: (state) => noteState(STREAM, state),
    });
    noteStream(STREAM, this.stream);
    void this.load();
  }

  close(): void {
    this.asked?.abort();
    this.stream?.close();
  }

  setFilter(filter: RunFilter): void {
    const before = this.filter.peek();
    this.filter.value = filter;
    if (before.status === filter.status && before.agent === filter.agent) return;
    batch(() => {
      this.known.value = []; // pages of another question would leave holes in this one
      this.cursor.value = undefined;
    });
    void this.load();
  }

  /** The first page: what is known is kept, only newer cards replace it. */
  load(): Promise<void> {
    return this.ask(undefined);
  }

  async more(): Promise<void> {
    const cursor = this.cursor.peek();
    if (cursor !== undefined && !this.loading.peek()) await this.ask(cursor);
  }

  private hear(card: RunCard): void {
    noteAsks(card);
    this.arrivals.add(card);
  }

  private async ask(cursor: string | undefined): Promise<void> {
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    this.loading.value = true;
    const { status, agent } = this.filter.peek();
    try {
      const page = await api.get<RunList>('/v1/runs', { status, agent, cursor, limit: PAGE }, asked.signal);
      this.take(page, cursor);
    } catch (error) {
      if (!asked.signal.aborted) this.problem.value = error;
    } finally {
      if (this.asked === asked) this.loading.value = false;
    }
  }

  private take(page: RunList, cursor: string | undefined): void {
    batch(() => {
      // a first page asked for again must not forget how far the list was already read
      if (cursor !== undefined || this.known.peek().length <= PAGE) this.cursor.value = page.cursor;
      this.problem.value = undefined;
      this.loadedOnce.value = true;
      this.add(page.runs);
    });
  }

  private add(cards: readonly RunCard[]): void {
    this.known.value = merged(this.known.peek(), cards);
  }
}
