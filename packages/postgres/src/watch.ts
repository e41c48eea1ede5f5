import { randomUUID } from 'node:crypto';
import { Connection, type Hooks } from './connection.js';
import type { Desk } from './desk.js';
import type { Settings } from './options.js';

type Listener = (runId?: string) => void;
/** While notifications come, the connection is asked only every so many times whether it is still there. */
const BEATS = 10;

/**
 * Tells listeners that something was posted or requeued. This process is told at once. Others are heard through LISTEN
 * where that works; where it does not, behind a pooler say, those that live here are looked at again and again.
 */
export class Watch {
  private readonly listeners = new Set<Listener>();
  private readonly me = randomUUID().slice(0, 8);
  private readonly desk: Desk;
  private readonly settings: Settings;
  private readonly connection: Connection;
  private readonly seen = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private ticks = 0;
  private isListening = false;
  private canListen: boolean;

  constructor(desk: Desk, settings: Settings, hooks: Hooks) {
    this.desk = desk;
    this.settings = settings;
    this.canListen = !settings.pooled;
    this.connection = new Connection(settings, {
      ...hooks,
      opened: async (client) => {
        client.on('notification', ({ payload = '' }) => this.heard(payload));
        client.on('end', () => {
          this.isListening = false;
        });
        await client.query(`LISTEN ${this.channel}`);
        this.isListening = true;
        this.tell(); // whatever came while nobody listened
      },
    });
  }

  watch(listener: Listener): () => void {
    const own: Listener = (runId) => listener(runId); // the same function may watch twice, and each watch stops alone
    this.listeners.add(own);
    if (this.timer === undefined) {
      // keeps the process open: a server that restarts takes every connection away, and a worker without runs has nothing else
      this.timer = setInterval(() => this.tick(), this.settings.pollMs);
      this.listen();
    }
    return () => {
      this.listeners.delete(own);
      if (this.listeners.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  /** Something came for a run. What is lost on the way to others they find by looking. */
  notify(runId: string): void {
    this.tell(runId);
    if (!this.canListen) return;
    const values = [this.channel, `${this.me} ${runId}`];
    this.desk.rows({ name: 'notify', text: 'SELECT pg_notify($1, $2)', values }).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.listeners.clear();
    clearInterval(this.timer);
    this.timer = undefined;
    await this.connection.close();
  }

  private get channel(): string {
    return `flyball_${this.settings.schema}`;
  }

  private tell(runId?: string): void {
    for (const listener of [...this.listeners]) listener(runId);
  }

  private heard(payload: string): void {
    const [from, ...runId] = payload.split(' ');
    if (from !== this.me) this.tell(runId.join(' '));
  }

  private tick(): void {
    this.ticks += 1;
    if (!this.isListening) this.look();
    else if (this.ticks % BEATS !== 0) return;
    this.listen();
  }

  /** Opens the connection where it is gone, and finds out where it only seems to be there. */
  private listen(): void {
    if (!this.canListen) return;
    this.connection.run([{ text: 'SELECT 1' }]).catch((error: unknown) => {
      const { code = '' } = error as { readonly code?: string };
      if (['0A000', '42601', '42883'].includes(code)) this.canListen = false; // there is no LISTEN here
    });
  }

  private look(): void {
    const text = `SELECT id, posted FROM ${this.settings.schema}.runs WHERE owner IS NOT NULL AND untaken > 0`;
    this.desk.rows({ name: 'look', text }).then(
      (rows) => {
        const news = rows.filter((row) => this.seen.get(row['id'] as string) !== row['posted']);
        this.seen.clear();
        for (const row of rows) this.seen.set(row['id'] as string, row['posted'] as number);
        for (const row of news) this.tell(row['id'] as string);
      },
      () => undefined, // whoever needs the database asks for himself and gets the error with its reason
    );
  }
}
