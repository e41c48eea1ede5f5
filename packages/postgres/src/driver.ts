/** As much of `pg` as is used here. */
export interface Statement {
  /** Under this name the server keeps how it is done, where nothing stands between it and us. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

export type Row = Readonly<Record<string, unknown>>;

interface QueryResult {
  readonly command: string;
  readonly rows: readonly Row[];
}

interface Notification {
  readonly channel: string;
  readonly payload?: string;
}

export interface Client {
  connect(): Promise<void>;
  query(statement: Statement | string): Promise<QueryResult>;
  end(): Promise<void>;
  /** Whether the connection keeps the process open. */
  ref(): void;
  unref(): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'end', listener: () => void): void;
  on(event: 'notice', listener: (notice: { readonly message?: string }) => void): void;
  on(event: 'notification', listener: (notification: Notification) => void): void;
  readonly connection: { readonly stream: { destroy(): void } };
}

export type Tls = boolean | Readonly<Record<string, unknown>>;

export interface ClientOptions {
  readonly connectionString: string;
  readonly ssl?: Tls;
  readonly pipeline: boolean;
  readonly keepAlive: boolean;
  readonly connectionTimeoutMillis: number;
  readonly application_name: string;
  readonly options?: string;
  readonly types: { getTypeParser(oid: number, format?: string): unknown };
}

interface Driver {
  readonly Client: new (options: ClientOptions) => Client;
  readonly types: { getTypeParser(oid: number, format?: string): unknown };
}

const INT8 = 20;
const name: string = 'pg';
let loaded: Promise<Driver> | undefined;

export function driver(): Promise<Driver> {
  loaded ??= import(name).then((module: { readonly default: Driver }) => module.default);
  return loaded;
}

/** Numbers of ours are never beyond what a double holds. */
export function typesOf({ types }: Driver): ClientOptions['types'] {
  return { getTypeParser: (oid, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)) };
}
