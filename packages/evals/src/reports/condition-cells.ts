import type { Share } from '../metrics/accuracy.js';
import type { FigureName, Mean } from '../metrics/figures.js';
import type { Summary } from '../metrics/summary.js';
import { type Behind, type Cell, decimal, interval, mean, share, signed, usd, whole } from './table.js';

/** The cells of one condition: each says what it is over, and which simulations are behind it. */
export class ConditionCells {
  private readonly summary: Summary;
  private readonly only: Pick<Behind, 'withoutExempt'>;

  constructor(summary: Summary, only: Pick<Behind, 'withoutExempt'> = {}) {
    this.summary = summary;
    this.only = only;
  }

  share(figure: FigureName, of: Share): Cell {
    return this.behind(figure, share(of));
  }

  count(figure: FigureName, value: number, n: number): Cell {
    return this.behind(figure, { ...whole(value), n });
  }

  mean(figure: FigureName, of: Mean, digits: number): Cell {
    return this.behind(
      figure,
      mean(of, this.summary.simulations, (value) => decimal(value, digits)),
    );
  }

  usd(figure: FigureName, of: Mean): Cell {
    return this.behind(figure, mean(of, this.summary.simulations, usd));
  }

  percent(figure: FigureName, of: Mean): Cell {
    const asPercent = (value: number | null): Cell =>
      value === null ? decimal(null, 0) : { text: `${(value * 100).toFixed(1)} %`, value };
    return this.behind(figure, mean(of, this.summary.simulations, asPercent));
  }

  pass1(): Cell {
    return this.passed(interval(this.summary.pass1), this.summary.simulations);
  }

  /** Over tasks: all k trials of one succeed. */
  passHat(k: number): Cell {
    return this.passed(decimal(this.summary.passHat[k - 1] ?? null, 3), this.summary.tasks);
  }

  /** Of pass^1 to the baseline's. */
  difference(base: number | undefined): Cell {
    const own = this.summary.pass1?.value;
    const isOwn = this.summary.agent === 'baseline' || own === undefined || base === undefined;
    return this.passed(signed(isOwn ? null : own - base, 3), this.summary.simulations);
  }

  passed(cell: Cell, n: number): Cell {
    return this.behind('pass^1', { ...cell, n });
  }

  private behind(figure: FigureName, cell: Cell): Cell {
    if (cell.value === null) return cell; // there is nothing to look behind
    return { ...cell, behind: { condition: this.summary.label, figure, ...this.only } };
  }
}
