import { Component, type ComponentChildren } from 'preact';
import { ErrorNote } from './error-note.js';

interface State {
  readonly error?: unknown;
}

/** A part that fails shows why in its own place; the rest of the page goes on. */
export class Boundary extends Component<{ readonly children: ComponentChildren }, State> {
  override state: State = {};

  override componentDidCatch(error: unknown): void {
    this.setState({ error });
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return <>{this.props.children}</>;
    return <ErrorNote error={error} onRetry={() => this.setState({ error: undefined })} />;
  }
}
