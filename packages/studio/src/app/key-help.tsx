import { Dialog } from '../ui/dialog.js';
import { KeyHint } from '../ui/key-hint.js';
import { keyActions } from './keys.js';

/** The keys that work on the page that is open. */
export function KeyHelp({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  if (!open) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="keys">
        {keyActions.value.map(({ keys, what }) => (
          <div key={keys}>
            <dt>
              <KeyHint keys={keys} />
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
