import { options, type VNode } from 'preact';

/**
 * Characters that turn the direction of what follows can make an amount or a path read as another one. They do nothing
 * here: each stands as its number, so that what somebody agrees to is what they see.
 */
export function visible(text: string): string {
  return TURNS.test(text) ? text.replace(EVERY_TURN, numbered) : text;
}

const TURNS = /[\u202a-\u202e\u2066-\u2069]/;
const EVERY_TURN = new RegExp(TURNS, 'g');

function numbered(turn: string): string {
  return `[U+${turn.charCodeAt(0).toString(16).toUpperCase()}]`;
}

/** For every text and title of the page, so that no view can forget it. What stands in a field is left as it is. */
export function keepTextVisible(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'string') makeVisible(vnode as VNode<Shown>);
    before?.(vnode);
  };
}

interface Shown {
  children?: unknown;
  title?: unknown;
  'aria-label'?: unknown;
}

function makeVisible({ props }: VNode<Shown>): void {
  const { children, title, 'aria-label': label } = props;
  if (typeof children === 'string') props.children = visible(children);
  else if (Array.isArray(children) && children.some((one) => typeof one === 'string' && TURNS.test(one)))
    props.children = children.map((one: unknown) => (typeof one === 'string' ? visible(one) : one));
  if (typeof title === 'string') props.title = visible(title);
  if (typeof label === 'string') props['aria-label'] = visible(label);
}
