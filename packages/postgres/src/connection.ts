import { type Client, type ClientOptions, driver, type Row, type Statement, typesOf } from './driver.js';
import { isElsewhere, isLost, isRefused, isReplaced, LinkError, replaced } from './errors.js';
import type { Settings } from './options.js';

export type Rows = readonly Row[];

/** How much longer than a statement may take we wait: the server ends it sooner, unless there is no server any more. */
const GRACE_MS = 5_000;

/** A transaction that nobody goes on with holds its locks for no longer. */
const IDLE_MS = 60_000;

/** Whatever a database or a user has for a default: a statement that waited for a lock has to see what was written meanwhile. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/** Numbers come back as they were written, also where a database or a user is set to round them. */
const ALL_DIGITS = 1;

export interface Hooks {
  /** Looks at a connection before anything else uses it: one that throws is not used. */
  readonly check: (ask: (text: string) => Promise<Rows>) => Promise<void>;
  readonly opened?: (client: Client) => Promise<void>;
  /** Moves when a table is missing, or another database is met, on any connection: then each is looked at again before anything else uses it. */
  readonly doubt?: { round: number };
}

/**
 * One connection, opened again whenever it is needed and gone.
 *
 * 1. Statements given together are one transaction, sent at once: it is all confirmed or none of it is.
 * 2. After a loss nothing is known of what was under way: whoever sent it decides whether it may be made again.
 * 3. A server that says nothing any more is a loss too. Every wait for it ends, also while a connection is being opened.
 */
export class Connection {
  private client: Promise<Client> | undefined;
  private isClosed = false;
  /** The round of doubt in which the connection was looked at last. */
  private round = 0;
  private first = 0;
  private readonly settings: Settings;
  private readonly hooks: Hooks;
  /** How many transactions are under way. */
  load = 0;
  opened = 0;

  constructor(settings: Settings, hooks: Hooks) {
    this.settings = settings;
    this.hooks = hooks;
  }

  async run(statements: readonly Statement[], onSent?: () => void): Promise<readonly Rows[]> {
    return this.using(async (client) => {
      onSent?.();
      return this.send(client, statements);
    });
  }

  /** One transaction whose next statement depends on the last one's answer: for a connection that nobody else uses. */
  async transaction<T>(work: (ask: (statement: Statement) => Promise<Rows>) => Promise<T>): Promise<T> {
    return this.using(async (client) => {
      const say = (statement: Statement | string) => this.answered(client, client.query(statement));
      try {
        await say(BEGIN);
        const answer = await work(async (statement) => (await say(prepared(statement, true))).rows);
        await say('COMMIT');
        return answer;
      } catch (error) {
        if (isLost(error)) this.drop(client);
        else await say('ROLLBACK').catch(() => this.drop(client));
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const client = await this.client?.catch(() => undefined);
    if (client === undefined) return;
    const forced = setTimeout(() => client.connection.stream.destroy(), 1_000);
    await client.end().catch(() => undefined);
    clearTimeout(forced);
  }

  /** The process is kept open for what is under way, and not for a connection that nobody uses. */
  private async using<T>(work: (client: Client) => Promise<T>): Promise<T> {
    this.load += 1;
    let client: Client | undefined;
    try {
      client = await this.open();
      client.ref();
      await this.lookAgain(client);
      return await work(client);
    } catch (thrown) {
      const error = isElsewhere(thrown) ? replaced(this.settings.schema) : thrown;
      if (this.hooks.doubt !== undefined && isReplaced(error)) this.hooks.doubt.round += 1;
      throw error;
    } finally {
      this.load -= 1;
      if (this.load === 0) client?.unref();
    }
  }

  /** Somebody may have removed the schema and begun another one: nothing is to be written to that. */
  private async lookAgain(client: Client): Promise<void> {
    const round = this.hooks.doubt?.round ?? 0;
    if (round === this.round) return;
    await this.hooks.check(async (text) => (await this.answered(client, client.query(text))).rows);
    this.round = round;
  }

  private async send(client: Client, statements: readonly Statement[]): Promise<readonly Rows[]> {
    const { pooled, statementMs, synchronousCommit } = this.settings;
    // through a pooler the next transaction may be somebody else's: settings last for one
    const before = pooled
      ? [
          `SET LOCAL statement_timeout = ${statementMs}`,
          `SET LOCAL synchronous_commit = '${synchronousCommit}'`,
          `SET LOCAL extra_float_digits = ${ALL_DIGITS}`,
        ]
      : [];
    const isAlone = statements.length === 1 && before.length === 0;
    const sent = isAlone
      ? statements.map((statement) => client.query(prepared(statement, pooled)))
      : [
          ...[BEGIN, ...before].map((text) => client.query(text)),
          ...statements.map((statement) => client.query(prepared(statement, pooled))),
          client.query('COMMIT'),
        ];
    const settled = await this.answered(client, Promise.allSettled(sent));
    const failed = settled.find((one): one is PromiseRejectedResult => one.status === 'rejected');
    if (failed !== undefined) {
      if (isLost(failed.reason)) this.drop(client);
      throw failed.reason;
    }
    const results = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (isAlone) return results.map(({ rows }) => rows);
    if (results.at(-1)?.command !== 'COMMIT') throw new LinkError('UNCONFIRMED', 'the transaction was rolled back');
    return results.slice(1 + before.length, -1).map(({ rows }) => rows);
  }

  /** Where no answer comes, the connection is dropped, which rejects whatever waits for one on it. */
  private async answered<T>(client: Client, answer: Promise<T>): Promise<T> {
    const silent = setTimeout(() => this.drop(client), this.settings.statementMs + GRACE_MS);
    try {
      return await answer;
    } finally {
      clearTimeout(silent);
    }
  }

  private open(): Promise<Client> {
    if (this.isClosed) return Promise.reject(new LinkError('CLOSED', 'the engine is closed'));
    if (this.client === undefined) {
      const opening = this.connect();
      this.client = opening;
      opening.catch(() => {
        if (this.client === opening) this.client = undefined;
      });
    }
    return this.client;
  }

  private drop(client: Client): void {
    const current = this.client;
    client.connection.stream.destroy();
    current?.then(
      (open) => {
        if (open === client && this.client === current) this.client = undefined;
      },
      () => undefined,
    );
  }

  /** The first of the addresses that takes writes, beginning with the one that did so before. */
  private async connect(): Promise<Client> {
    const { urls } = this.settings;
    let last: unknown;
    for (let tried = 0; tried < urls.length; tried += 1) {
      const at = (this.first + tried) % urls.length;
      try {
        const client = await this.connectTo(urls[at] ?? '');
        this.first = at;
        this.opened += 1;
        return client;
      } catch (error) {
        if (isRefused(error)) throw error;
        last = error;
      }
    }
    throw last;
  }

  /**
   * A pooler that was told to ignore what a connection sets looks like the server, until a prepared statement is missing
   * or a commit has not waited for what it should have.
   */
  private async checkTaken(client: Client): Promise<void> {
    const wanted = { statement_timeout: this.settings.statementMs, idle_in_transaction_session_timeout: IDLE_MS };
    for (const [name, ms] of Object.entries(wanted)) {
      const { rows } = await this.answered(client, client.query(`SHOW ${name}`));
      const is = timeIn(rows[0]?.[name]);
      if (is === undefined || is === ms) continue;
      throw new LinkError('IGNORES_SETTINGS', `it ignores settings of a connection: ${name} is ${is} ms, not ${ms}`);
    }
  }

  /** Where a pooler allows none, it closes the connection: its reason is read only if nothing else was sent meanwhile. */
  private async checkTransactions(client: Client): Promise<void> {
    for (const text of ['BEGIN', 'COMMIT']) await this.answered(client, client.query(text));
  }

  private async connectTo(url: string): Promise<Client> {
    const pg = await driver();
    const client = new pg.Client(clientOptions(url, this.settings, typesOf(pg)));
    client.on('error', () => this.drop(client));
    client.on('end', () => this.drop(client));
    client.on('notice', ({ message = '' }) => {
      // the commit is on one machine only: nobody may be told that it is durable
      if (/canceling.*synchronous replication/.test(message)) this.drop(client);
    });
    try {
      const round = this.hooks.doubt?.round ?? 0;
      await client.connect();
      if (this.settings.pooled) await this.checkTransactions(client);
      else await this.checkTaken(client);
      await this.hooks.check(async (text) => (await this.answered(client, client.query(text))).rows);
      if (this.hooks.opened !== undefined) await this.answered(client, this.hooks.opened(client));
      this.round = round;
      return client;
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    }
  }
}

/** `30s`, `1min`, `500ms`, `30000`: as milliseconds. Undefined for what no server is known to say. */
function timeIn(text: unknown): number | undefined {
  const [, amount, unit = ''] = /^(\d+)(ms|s|min|h|d)?$/.exec(String(text)) ?? [];
  const factors: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
  return amount === undefined ? undefined : Number(amount) * (factors[unit] ?? 1);
}

function clientOptions(url: string, settings: Settings, types: ClientOptions['types']): ClientOptions {
  const { tls, pooled, statementMs, synchronousCommit } = settings;
  const { bare, options } = forDriver(url);
  const own = pooled
    ? ''
    : `-c statement_timeout=${statementMs} -c synchronous_commit=${synchronousCommit} -c idle_in_transaction_session_timeout=${IDLE_MS} -c extra_float_digits=${ALL_DIGITS} -c default_transaction_isolation=read\\ committed`;
  const all = `${options} ${own}`.trim();
  return {
    connectionString: bare,
    ...(tls === undefined ? {} : { ssl: tls }),
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    application_name: 'flyball',
    types,
    ...(all === '' ? {} : { options: all }),
  };
}

/**
 * The driver takes `options` of an address in the place of ours: what commits wait for would be left to the server. It
 * verifies certificates in these modes as in verify-full, and would print ten lines about that.
 */
function forDriver(url: string): { readonly bare: string; readonly options: string } {
  const [place = '', query = ''] = url.split(/\?(.*)/s);
  const parts = query.split('&').filter((each) => each !== '');
  const options = parts.flatMap((each) => (each.startsWith('options=') ? [decodeURIComponent(each.slice(8))] : []));
  const verifying = parts.includes('uselibpqcompat=true') ? /^$/ : /^sslmode=(prefer|require|verify-ca)$/;
  const rest = parts
    .filter((each) => !each.startsWith('options='))
    .map((each) => each.replace(verifying, 'sslmode=verify-full'));
  return { bare: rest.length === 0 ? place : `${place}?${rest.join('&')}`, options: options.join(' ') };
}

function prepared({ name, text, values = [] }: Statement, pooled: boolean): Statement {
  return pooled || name === undefined ? { text, values } : { name, text, values };
}
