/** The text format of Prometheus, version 0.0.4. Label values come from bounded sets only: whoever counts sees to it. */

export type Labels = Readonly<Record<string, string>>;

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  samples(): Iterable<Sample>;
}

export interface Sample {
  /** What follows on the name of the family: `_sum`, `_bucket`. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function exposition(families: readonly Family[]): string {
  const lines = families.flatMap((family) => {
    const { name, type, help } = family;
    const written = [...family.samples()].map(
      ({ suffix = '', labels, value }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}`,
    );
    return [`# HELP ${name} ${escapedHelp(help)}`, `# TYPE ${name} ${type}`, ...written];
  });
  return `${lines.join('\n')}\n`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapedValue(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapedValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function escapedHelp(help: string): string {
  return help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}

/** Counts up, for each combination of label values. */
export class Counter implements Family {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  private readonly counts = new Map<string, { readonly labels: Labels; value: number }>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  add(labels: Labels = {}, by = 1): void {
    const key = JSON.stringify(labels);
    const known = this.counts.get(key);
    if (known === undefined) this.counts.set(key, { labels, value: by });
    else known.value += by;
  }

  samples(): Iterable<Sample> {
    return this.counts.values();
  }
}

/** What something is at the moment of asking. */
export function gauge(name: string, help: string, samples: () => Iterable<Sample>): Family {
  return { name, type: 'gauge', help, samples };
}

interface Observed {
  readonly labels: Labels;
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** How values are spread, by upper bounds. */
export class Histogram implements Family {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  private readonly bounds: readonly number[];
  private readonly observed = new Map<string, Observed>();

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.bounds = bounds;
  }

  observe(labels: Labels, value: number): void {
    const key = JSON.stringify(labels);
    const known = this.observed.get(key) ?? { labels, buckets: this.bounds.map(() => 0), sum: 0, count: 0 };
    this.observed.set(key, known);
    known.sum += value;
    known.count++;
    const bucket = this.bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) known.buckets[bucket] = (known.buckets[bucket] ?? 0) + 1;
  }

  *samples(): Iterable<Sample> {
    for (const { labels, buckets, sum, count } of this.observed.values()) {
      let below = 0;
      for (const [index, bound] of this.bounds.entries()) {
        below += buckets[index] ?? 0;
        yield { suffix: '_bucket', labels: { ...labels, le: numberText(bound) }, value: below };
      }
      yield { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count };
      yield { suffix: '_sum', labels, value: sum };
      yield { suffix: '_count', labels, value: count };
    }
  }
}
