import { type Node, type Sequence, UNBOUNDED } from './syntax.js';

/** Fewest and most characters that something matches. */
export type Width = readonly [least: number, most: number];

/** What a look-behind needs to know. `groups` holds the widths of closed groups. */
export function widthOf(sequence: Sequence, groups: readonly (Width | undefined)[]): Width {
  let [least, most] = [0, 0];
  for (const node of sequence) {
    const [low, high] = widthOfNode(node, groups);
    least += low;
    most += high;
  }
  return [least, most];
}

function widthOfNode(node: Node, groups: readonly (Width | undefined)[]): Width {
  switch (node.kind) {
    case 'char':
    case 'set':
    case 'any':
      return [1, 1];
    case 'at':
    case 'look':
      return [0, 0];
    case 'group':
    case 'atomic':
      return widthOf(node.body, groups);
    case 'reference':
      return groups[node.group] ?? [0, 0];
    case 'branch':
      return either(node.options.map((option) => widthOf(option, groups)));
    case 'condition':
      return either([widthOf(node.yes, groups), node.no === undefined ? [0, 0] : widthOf(node.no, groups)]);
    case 'repeat': {
      const [low, high] = widthOf(node.body, groups);
      const endless = node.max === UNBOUNDED && high > 0;
      return [low * node.min, endless ? Number.POSITIVE_INFINITY : high === 0 ? 0 : high * node.max];
    }
  }
}

function either(widths: readonly Width[]): Width {
  return [Math.min(...widths.map(([least]) => least)), Math.max(...widths.map(([, most]) => most))];
}
