/**
 * A filter for the kernel (seccomp, classic BPF) that refuses what no program in a sandbox needs: the keyring of the
 * host's session, parts of the kernel that are mostly known for their faults, and modes that make a file run as its
 * owner. Everything else is allowed: namespaces, mounts and limits hold the rest.
 */
interface Architecture {
  /** AUDIT_ARCH of the kernel. */
  readonly audit: number;
  readonly refused: readonly number[];
  /** System calls that set a mode, and which of their arguments it is. */
  readonly modes: readonly { readonly call: number; readonly mode: number }[];
  /** Those that make a file when a flag says so. */
  readonly opens: readonly { readonly call: number; readonly flags: number; readonly mode: number }[];
  /** Calls from here on belong to another numbering of the same machine. */
  readonly foreignFrom?: number;
}

// add_key request_key keyctl, bpf perf_event_open userfaultfd, io_uring (3), kexec (2), modules (3), handles (2), setns
const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    refused: [248, 249, 250, 321, 298, 323, 425, 426, 427, 246, 320, 175, 313, 176, 303, 304, 308],
    modes: [
      { call: 90, mode: 1 }, // chmod
      { call: 91, mode: 1 }, // fchmod
      { call: 268, mode: 2 }, // fchmodat
      { call: 452, mode: 2 }, // fchmodat2
      { call: 85, mode: 1 }, // creat
      { call: 133, mode: 1 }, // mknod
      { call: 259, mode: 2 }, // mknodat
    ],
    opens: [
      { call: 2, flags: 1, mode: 2 },
      { call: 257, flags: 2, mode: 3 },
    ],
    foreignFrom: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    refused: [217, 218, 219, 280, 241, 282, 425, 426, 427, 104, 294, 105, 273, 106, 264, 265, 268],
    modes: [
      { call: 52, mode: 1 },
      { call: 53, mode: 2 },
      { call: 452, mode: 2 },
      { call: 33, mode: 2 },
    ],
    opens: [{ call: 56, flags: 2, mode: 3 }],
  },
};

/** Its arguments lie in memory, where a filter cannot look; programs fall back to `openat`. */
const OPENAT2 = 437;
const SET_ID_BITS = 0o6000;
/** O_CREAT, and the bit of O_TMPFILE that is its own. */
const MAKES_FILE = 0x400040;

const LOAD = 0x20;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const HAS_BITS = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const NOT_PERMITTED = 0x00050001;
const NOT_IMPLEMENTED = 0x00050026;

type Instruction = readonly [code: number, then: number, otherwise: number, value: number];

const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
const argument = (index: number): Instruction => load(16 + 8 * index);
const answer = (value: number): Instruction => [RETURN, 0, 0, value];

/** The program as bubblewrap takes it; undefined where nobody wrote one for this machine. */
export function systemCallFilter(arch: string = process.arch): Uint8Array | undefined {
  const known = Object.hasOwn(ARCHITECTURES, arch) ? ARCHITECTURES[arch] : undefined;
  if (known === undefined) return undefined;
  const program: Instruction[] = [
    load(4),
    [EQUAL, 1, 0, known.audit],
    answer(NOT_PERMITTED),
    load(0),
    ...(known.foreignFrom === undefined ? [] : [[AT_LEAST, 0, 1, known.foreignFrom] as const, answer(NOT_PERMITTED)]),
    ...known.refused.flatMap((call): Instruction[] => [[EQUAL, 0, 1, call], answer(NOT_PERMITTED)]),
    [EQUAL, 0, 1, OPENAT2],
    answer(NOT_IMPLEMENTED),
    ...known.modes.flatMap(({ call, mode }): Instruction[] => [[EQUAL, 0, 4, call], ...refusingModes(mode)]),
    ...known.opens.flatMap(({ call, flags, mode }): Instruction[] => [
      [EQUAL, 0, 6, call],
      argument(flags),
      [HAS_BITS, 0, 3, MAKES_FILE],
      ...refusingModes(mode),
    ]),
    answer(ALLOW),
  ];
  return encoded(program);
}

function refusingModes(mode: number): Instruction[] {
  return [argument(mode), [HAS_BITS, 0, 1, SET_ID_BITS], answer(NOT_PERMITTED), answer(ALLOW)];
}

function encoded(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, then, otherwise, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(then, index * 8 + 2);
    bytes.writeUInt8(otherwise, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
