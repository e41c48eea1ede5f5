/** What simulated models are asked about: items with a truth that code knows. */
export interface Questions {
  /** The text of an item. It begins with `Task #<item>`. */
  ask(item: number): string;
  truth(item: number): string;
  /** The n-th wrong answer, from 0. Each is another one, and none is right. */
  wrong(item: number, n: number): string;
}
