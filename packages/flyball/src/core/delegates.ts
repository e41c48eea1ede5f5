/** A child that does the work of a tool: by the path of its scope. It is as private as a call of that tool. */
export interface Delegate {
  readonly path: string;
  readonly tool: string;
}

/** The step in which guards see what is handed to a child. */
export const HANDOFF = 'handoff';

/** The step in which guards see what a delegate of the tool came to. */
export function resultStepOf(tool: string): string {
  return `${tool}-result`;
}
