import { useId, useState } from 'preact/hooks';
import { type Details, Problem, Send, type WidgetProps } from './widget.js';

/** Yes or no, one of several, several of several. */
export function Confirm({ sending, onAnswer }: WidgetProps) {
  return (
    <div class="actions">
      <button type="button" class="button primary" disabled={sending.busy} onClick={() => onAnswer(true)}>
        Yes
      </button>
      <button type="button" class="button" disabled={sending.busy} onClick={() => onAnswer(false)}>
        No
      </button>
    </div>
  );
}

function choicesIn({ choices }: Details): readonly string[] {
  return Array.isArray(choices) ? choices.map(String) : [];
}

export function ChooseOne({ details, sending, onAnswer }: WidgetProps) {
  const [chosen, setChosen] = useState<string>();
  const [tried, setTried] = useState(false);
  const group = useId();
  const send = () => {
    setTried(true);
    if (chosen !== undefined) onAnswer(chosen);
  };
  return (
    <>
      <fieldset class="choices">
        <legend class="visually-hidden">Choose one</legend>
        {choicesIn(details).map((choice) => (
          <label key={choice}>
            <input type="radio" name={group} checked={chosen === choice} onChange={() => setChosen(choice)} />
            {choice}
          </label>
        ))}
      </fieldset>
      {tried && chosen === undefined ? <Problem text="Choose one." /> : null}
      <Send sending={sending} onSend={send} />
    </>
  );
}

export function ChooseSeveral({ details, sending, onAnswer }: WidgetProps) {
  const choices = choicesIn(details);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [tried, setTried] = useState(false);
  const problem = howMany(chosen.length, details);
  const send = () => {
    setTried(true);
    if (problem === undefined) onAnswer(choices.filter((choice) => chosen.includes(choice)));
  };
  return (
    <>
      <fieldset class="choices">
        <legend class="visually-hidden">Choose any number</legend>
        {choices.map((choice) => (
          <label key={choice}>
            <input
              type="checkbox"
              checked={chosen.includes(choice)}
              onChange={(event) =>
                setChosen(event.currentTarget.checked ? [...chosen, choice] : chosen.filter((one) => one !== choice))
              }
            />
            {choice}
          </label>
        ))}
      </fieldset>
      {tried && problem !== undefined ? <Problem text={problem} /> : null}
      <Send sending={sending} onSend={send} />
    </>
  );
}

function howMany(chosen: number, { minimum, maximum }: Details): string | undefined {
  if (typeof minimum === 'number' && chosen < minimum) return `Choose at least ${minimum}.`;
  return typeof maximum === 'number' && chosen > maximum ? `Choose at most ${maximum}.` : undefined;
}
