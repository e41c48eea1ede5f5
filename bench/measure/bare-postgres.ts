/** The driver alone. It has no types of its own; this is as much of it as benchmarks use. */
export interface BarePostgres {
  connect(): Promise<void>;
  query(text: string, values?: readonly unknown[]): Promise<unknown>;
  query(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: readonly unknown[];
  }): Promise<unknown>;
  end(): Promise<void>;
}

const driver: string = 'pg';

export async function connectBare(url: string): Promise<BarePostgres> {
  const { default: pg } = (await import(driver)) as {
    readonly default: { readonly Client: new (given: { readonly connectionString: string }) => BarePostgres };
  };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
