import { describe, expect, it } from 'vitest';
import { sumTask } from '../../../../test/evals/counter-domain.js';
import { scenarioText } from '../simulation/user-prompt.js';
import type { SpokenMessage, ToolMessage } from '../world/message.js';
import { type Persona, personaText, readPersona, withPersona } from './persona.js';
import { type RuleScript, ruleUser } from './rule-user.js';
import { leakedTo, refuseLeaks, userView, viewPrompt } from './user-view.js';

const MARA: Persona = {
  name: 'Mara Lindqvist',
  background: 'She runs a bakery.',
  language: 'sv',
  patience: 'low',
  clarity: 'vague',
  cooperativeness: 'resistant',
  verbosity: 'terse',
  facts: ['Her meter is in the cellar.'],
  hiddenFacts: [{ fact: 'She moved in March.', tellWhen: 'she is asked about her address' }],
};

const says = (content: string): SpokenMessage => ({ role: 'assistant', content, calls: [], cost: 0, at: 0 });
const answers = (content: string): ToolMessage => ({
  role: 'tool',
  id: 'user_1',
  content,
  requestor: 'user',
  error: false,
  at: 0,
});

describe('a persona', () => {
  it('is data that becomes words about traits, language, facts and what is told only when asked [R5-USER-MODEL]', () => {
    const text = personaText(readPersona(JSON.parse(JSON.stringify(MARA))));
    expect(text).toContain('You are Mara Lindqvist. She runs a bakery.');
    expect(text).toContain('You lose patience quickly');
    expect(text).toContain('language "sv"');
    expect(text).toContain('- Her meter is in the cellar.');
    expect(text).toContain('- She moved in March. (only when she is asked about her address)');
    expect(personaText({ name: 'Jo' })).toBe('You are Jo.');
  });

  it('names everything that is wrong with it at once [R5-USER-MODEL]', () => {
    const wrong = {
      name: ' ',
      language: 'Swedish!',
      patience: 'none',
      moods: 1,
      facts: [3],
      hiddenFacts: [{ fact: 'x' }],
    };
    expect(() => readPersona(wrong, 'users.json, persona 2')).toThrow(
      /users\.json, persona 2: "moods" is not one of.*name must be a text.*language must be.*facts must be.*hiddenFacts must be.*patience must be one of low, medium, high, got "none"/,
    );
    expect(() => readPersona('Jo')).toThrow(/not an object/);
  });

  it("takes the place of a benchmark task's own, and nothing else of the task changes [R5-USER-MODEL]", () => {
    const task = sumTask(1);
    const played = withPersona(task, MARA);
    expect(scenarioText(played)).toMatch(/^Persona:\n\tYou are Mara Lindqvist\./);
    expect({ ...played, persona: null }).toEqual({ ...task, persona: null });
  });
});

describe('a user by rules', () => {
  const script: RuleScript = {
    opening: 'My bill is wrong.',
    rules: [
      { id: 'number', hears: 'account number', say: 'It is 4471.' },
      { id: 'read', hears: 'read (your|the) meter', call: 'read_meter', with: { place: 'cellar' } },
      { id: 'tell', hears: '^(\\d+) kWh', in: 'results', say: 'It says 5120.' },
      { id: 'bye', hears: 'anything else', say: 'No. ###STOP###' },
    ],
    otherwise: 'What do you mean?',
    patience: 2,
  };
  const user = () => ruleUser(script, { now: () => 7 });

  it('says and calls what its rules answer to what it hears [R5-USER-SCRIPTED]', async () => {
    const one = user();
    one.open([]);
    expect((await one.take(says('Hi!'))).content).toBe('My bill is wrong.');
    expect((await one.take(says('Tell me your ACCOUNT NUMBER.'))).content).toBe('It is 4471.');
    const call = await one.take(says('Please read your meter.'));
    expect(call).toMatchObject({ role: 'user', content: null, at: 7 });
    expect(call.calls).toEqual([
      { id: 'user_1', name: 'read_meter', arguments: new Map([['place', 'cellar']]), requestor: 'user' },
    ]);
    expect((await one.take([answers('5120 kWh')])).content).toBe('It says 5120.');
    const last = await one.take(says('Is there anything else?'));
    expect(one.stops(last)).toBe(true);
  });

  it('uses a rule as often as it says, and leaves when it is not understood for too long [R5-USER-SCRIPTED]', async () => {
    const one = user();
    one.open([]);
    await one.take(says('Hi!'));
    await one.take(says('Your account number?'));
    expect((await one.take(says('Your account number, please?'))).content).toBe('What do you mean?');
    expect((await one.take(says('Hm.'))).content).toBe('What do you mean?');
    const left = await one.take(says('Hm.'));
    expect(one.stops(left)).toBe(true);
  });

  it('goes on from a history without opening again [R5-USER-SCRIPTED]', async () => {
    const one = user();
    one.open([says('Hi!'), { ...says('Hello.'), role: 'user' }]);
    expect((await one.take(says('Your account number?'))).content).toBe('It is 4471.');
  });

  it('is refused before anything runs when a rule cannot work [R5-USER-SCRIPTED]', () => {
    const rule = { id: 'a', hears: 'x', say: 'y' };
    const made = (more: Partial<RuleScript>) => () => ruleUser({ ...script, ...more }, { now: () => 0 });
    expect(made({ rules: [{ ...rule, hears: '(' }] })).toThrow(/Rule a: "\(" is not a valid regular expression/);
    expect(made({ rules: [rule, rule] })).toThrow(/same id/);
    expect(made({ rules: [{ ...rule, times: 0 }] })).toThrow(/times must be/);
    expect(made({ rules: [{ ...rule, call: 'x' } as never] })).toThrow(/either say something or make a call/);
    expect(made({ opening: ' ' })).toThrow(/needs an opening line/);
  });
});

describe('what a simulated user knows', () => {
  const scenario = { id: 's', goal: 'Get the refund.', persona: MARA, expected: 'The refund of 40 EUR is booked.' };

  it('is its goal and its persona, which open its context, and no more of the scenario [R5-USER-MODEL]', () => {
    expect(Object.keys(userView(scenario))).toEqual(['id', 'goal', 'persona']);
    const prompt = viewPrompt(userView(scenario));
    expect(prompt).not.toContain('40 EUR');
    expect(prompt.indexOf('Mara')).toBeLessThan(prompt.indexOf('###STOP###'));
    expect(prompt.indexOf('Get the refund.')).toBeLessThan(prompt.indexOf('###STOP###'));
  });

  it('is refused when it gives away what is expected, whatever the spaces and the case [R5-USER-MODEL]', () => {
    const secrets = [
      { name: 'the expected outcome', text: scenario.expected },
      { name: 'a word', text: 'refund' },
    ];
    const told = { ...userView(scenario), goal: 'You want:  the refund of 40 eur\n is BOOKED.' };
    expect(leakedTo([viewPrompt(told)], secrets)).toEqual(['the expected outcome']);
    expect(() => refuseLeaks(told, secrets)).toThrow(/user of scenario s can read the expected outcome/);
    expect(() => refuseLeaks(userView(scenario), secrets)).not.toThrow();
  });
});
