/** What a benchmark prints: what it measured, a table, and whether the target was met. */

export interface Target {
  /** Said as a sentence, with the figure that was reached. */
  readonly says: string;
  /** `near`: missed by less than the noise of a shared machine. Only `missed` fails the benchmark. */
  readonly met: 'met' | 'near' | 'missed';
}

export function heading(title: string, lines: readonly string[] = []): void {
  console.log(`\n${title} (Node ${process.versions.node})`);
  for (const line of lines) console.log(line);
  console.log('');
}

export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const texts = [headings, ...rows.map((row) => row.map(String))];
  const widths = headings.map((_, column) => Math.max(...texts.map((row) => (row[column] ?? '').length)));
  texts.forEach((row, index) => {
    // the first column names the row, the others are figures
    const cells = widths.map((width, column) =>
      column === 0 ? (row[column] ?? '').padEnd(width) : (row[column] ?? '').padStart(width),
    );
    console.log(`  ${cells.join('   ').trimEnd()}`);
    if (index === 0) console.log(`  ${widths.map((width) => '-'.repeat(width)).join('   ')}`);
  });
  console.log('');
}

/** Prints the targets and sets the exit code when one is clearly missed. */
export function judge(targets: readonly Target[]): void {
  for (const { says, met } of targets) {
    console.log(`  ${met === 'met' ? 'met   ' : met === 'near' ? 'near  ' : 'MISSED'} ${says}`);
    if (met === 'missed') process.exitCode = 1;
  }
  console.log('');
}

/** `slack` is how far past the limit still counts as noise: 0.1 for 10 %. */
export function atMost(value: number, limit: number, slack = 0): Target['met'] {
  return value <= limit ? 'met' : value <= limit * (1 + slack) ? 'near' : 'missed';
}

export function atLeast(value: number, limit: number, slack = 0): Target['met'] {
  return value >= limit ? 'met' : value >= limit * (1 - slack) ? 'near' : 'missed';
}
