import { describe, expect, it } from 'vitest';
import { dumpJson } from '../python/json.js';
import { bankingToolData, mockToolData } from './toolkits.js';

const plain = (value: Parameters<typeof dumpJson>[0]): unknown => JSON.parse(dumpJson(value));

const DATA_MODEL = `
from typing import Literal, TYPE_CHECKING

if TYPE_CHECKING:
    Colour = Literal["never"]

Colour = Literal[
    "red",  # the first: don't "skip" it
    'blue',
]
`;

const TOOLS = `"""Lamps."""
from .data_model import Colour

LIMIT = {"a": [1, 2]}


class MockTools(ToolKitBase):
    """Not a tool.

    Args:
        neither: is this
    """

    limit: int = 3

    def __init__(self, db) -> None:
        super().__init__(db)

    @property
    @is_tool(tool_type=ToolType.WRITE)
    def switch_on(self, lamp_id: str, colour: Colour = 'red', *, level: float = -1.5, times: int = 1_000) -> str:
        """
        Switch a lamp on.
        Works at night, too:
          - and by day.

        Args:
            lamp_id (str): Which lamp
                of them all: the "left" one
            colour: In which colour \\u00e9

        Raises:
            ValueError: never
        """
        text = f"not {lamp_id!r} a (bracket"
        def inner(x): return x
        return text

    @is_tool()
    async def lamps(self, names: list[str] = None, more: Optional[int] = None, any_of: str | None = None, rest: dict = None):
        """Count lamps.

        Returns documents ranked by brightness.

        Returns:
            int: how many
        """

    def helper(self, *args, **kwargs):
        return lambda: {**kwargs}

    @staticmethod
    def spare(first=lambda: 0, **rest):
        return rest

    # @is_tool(ToolType.READ)
    # def gone(self): ...
`;

const USER = `
class MockUserTools(ToolKitBase):
    @is_tool(ToolType.READ)
    def look(self) -> str:
        return "no docstring"
`;

describe('tools read out of Python files', () => {
  it('become schemas with their texts, types, defaults and choices [R5-DATA-FETCH]', () => {
    const files = new Map([
      ['tools.py', TOOLS],
      ['data_model.py', DATA_MODEL],
      ['user_tools.py', USER],
    ]);
    const made = plain(mockToolData(files, 'abc')) as Record<string, { function: Record<string, unknown> }[]>;
    const [switchOn, lamps, ...none] = made['assistant'] ?? [];
    expect(none).toEqual([]);
    expect(switchOn).toEqual({
      type: 'function',
      function: {
        name: 'switch_on',
        description: 'Switch a lamp on.\n\nWorks at night, too:\n  - and by day.',
        parameters: {
          properties: {
            lamp_id: { description: 'Which lamp\nof them all: the "left" one', title: 'Lamp Id', type: 'string' },
            colour: {
              default: 'red',
              description: 'In which colour é',
              enum: ['red', 'blue'],
              title: 'Colour',
              type: 'string',
            },
            level: { default: -1.5, title: 'Level', type: 'number' },
            times: { default: 1000, title: 'Times', type: 'integer' },
          },
          required: ['lamp_id'],
          title: 'parameters',
          type: 'object',
        },
      },
    });
    expect(lamps?.function['description']).toBe('Count lamps.\n\nReturns documents ranked by brightness.');
    expect(lamps?.function['parameters']).toHaveProperty('properties', {
      names: { default: null, items: { type: 'string' }, title: 'Names', type: 'array' },
      more: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'More' },
      any_of: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'Any Of' },
      rest: { additionalProperties: true, default: null, title: 'Rest', type: 'object' },
    });
    expect(made['user']?.map((tool) => tool.function['description'])).toEqual(['look']);
    expect(made['policy_sha256']).toBe('abc');
  });

  it('keep the order of inheritance, and tools to be found apart [R5-DATA-FETCH]', () => {
    const tools = `
class KnowledgeTools(ToolKitBase):
    @is_tool(ToolType.GENERIC, mutates_state=True)
    def open_door(self): "Open the door."

    @is_tool(ToolType.WRITE)
    def close_door(self, why: str = "wind" " and rain"):
        """Close the door."""

    @is_discoverable_tool(ToolType.READ)
    def find_key_12(self, shelf: int, quick: bool = False, note: Optional[str] = None):
        """Find a key.

        It hangs somewhere.

        Args:
            shelf (integer): Which shelf: 1 to 3
            quick (boolean, optional): In a hurry
            note: A word

        Returns:
            The key was found.
            It is small.
        """

    @is_discoverable_tool()
    def wait_34(self):
        """Wait.

        Returns:
            Waited.
        """


class KnowledgeUserTools(ToolKitBase):
    @is_tool(ToolType.WRITE)
    def knock(self):
        """Knock."""

    @is_discoverable_tool(ToolType.WRITE)
    def ring_56(self):
        """Ring."""
`;
    const kits = `
class KitA(First, Second, KnowledgeTools):
    pass


class KitB(KnowledgeTools): ...
`;
    const mixins = `
class Second(metaclass=ToolKitType):
    @is_tool(ToolType.READ)
    def second(self): ...

class First(metaclass=ToolKitType):
    @is_tool(ToolType.READ)
    def first(self, k: int = 10): ...
`;
    const files = new Map([
      ['retrieval_mixins.py', mixins],
      ['retrieval_toolkits.py', kits],
      ['tools.py', tools],
    ]);
    const made = plain(bankingToolData(files)) as Record<string, Record<string, Record<string, unknown>>>;
    expect(Object.entries(made['agent_toolkits'] ?? {}).map(([name, kit]) => [name, kit['tool_order']])).toEqual([
      ['KitA', ['first', 'second', 'open_door', 'close_door']],
      ['KitB', ['open_door', 'close_door']],
    ]);
    expect(made['agent_toolkits']?.['KitB']).toMatchObject({
      tool_types: { open_door: 'generic', close_door: 'write' },
      mutates_state: { open_door: true, close_door: true },
    });
    expect(made['user_tools']?.['tool_order']).toEqual(['knock']);
    expect(made['agent_discoverable']?.['find_key_12']).toEqual({
      tool_type: 'read',
      mutates_state: false,
      info: {
        name: 'find_key_12',
        description: 'Find a key.\n\nIt hangs somewhere.',
        parameters: {
          shelf: { type: 'integer', description: 'Which shelf: 1 to 3', required: true },
          quick: { type: 'boolean', description: 'In a hurry', required: false },
          note: { type: 'string', description: 'A word', required: true },
        },
        success_message: 'The key was found.',
      },
      signature: [
        { name: 'shelf', annotation: 'int', default: '<required>' },
        { name: 'quick', annotation: 'bool', default: false },
        { name: 'note', annotation: 'Optional', default: null },
      ],
      formatted:
        'Tool: find_key_12\nDescription: Find a key.\n\nIt hangs somewhere.\nParameters:\n' +
        '  - shelf: integer (required) - Which shelf: 1 to 3\n  - quick: boolean (optional) - In a hurry\n' +
        '  - note: string (required) - A word',
    });
    expect(made['agent_discoverable']?.['wait_34']).toMatchObject({
      info: { description: 'Wait.\n\nReturns:\n    Waited.', parameters: {} },
      formatted: 'Tool: wait_34\nDescription: Wait.\n\nReturns:\n    Waited.\nParameters:\n  (no parameters)',
    });
    expect(made['user_discoverable']?.['ring_56']).not.toHaveProperty('formatted');
    expect(made['tools_description']).toEqual({
      user: '1. knock\nKnock.',
      assistant: '1. close_door\nClose the door.\n\n2. open_door\nOpen the door.',
    });
  });

  it('are refused, with the place, where they are of a form that nobody knows [R5-DATA-FETCH]', () => {
    const user = ['u.py', 'class MockUserTools: pass'] as const;
    const made = (tools: string) => () => mockToolData(new Map([['t.py', tools], user]), '');
    const kit = (signature: string): string =>
      `class MockTools:\n    @is_tool()\n    def f(${signature}):\n        pass\n`;
    expect(made('class Other: pass')).toThrow(/no class MockTools/);
    expect(made(kit('self, a: Lamp'))).toThrow(/The type Lamp/);
    expect(made(kit('self, a: int = now()'))).toThrow(/default of a is no constant/);
    expect(made(kit('self, a: int = 1 if x else 2'))).toThrow(/t\.py:3: the parameters of f/);
    expect(made(`${kit('self')}\n    pass\n`.replace('MockTools', 'MockTools(MockTools)'))).toThrow(/from itself/);
  });
});
