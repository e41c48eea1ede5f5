import type { Refusal } from './browser-proxy.js';

/** Something on a page that can be clicked or filled in. */
export interface PageElement {
  readonly kind: string;
  readonly name: string;
  readonly href?: string;
}

/** What a model sees of a page. */
export interface PageView {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly from: number;
  readonly length: number;
  readonly elements: readonly PageElement[];
  /** Requests of the page that the rules refused. */
  readonly refused: readonly Refusal[];
}
