// The system-call filter of confined programs on Linux, as the bytes that bubblewrap takes. It refuses what
// namespaces leave open: new user namespaces, other processes' memory, keyrings, io_uring, typing into
// the terminal, and sockets that know no network namespace.

type Architecture = 'x64' | 'arm64';

/** Undefined for an architecture whose system-call numbers are not listed here. */
export function systemCallFilter(architecture: string): Buffer | undefined {
  const known = isKnown(architecture) ? architectures[architecture] : undefined;
  return known && bytesOf(programFor(known));
}

interface ArchitectureNumbers {
  /** The kernel's name of the architecture, so that calls in another one's numbers are refused. */
  readonly audit: number;
  /** The first number of a second numbering that this architecture also accepts. */
  readonly second?: number;
  readonly ioctl: number;
  readonly socket: number;
  readonly clone: number;
  readonly clone3: number;
  /** Refused with "not permitted". */
  readonly forbidden: readonly number[];
  /** Refused as if the kernel did not have them, so that programs use something else. */
  readonly absent: readonly number[];
}

/**
 * Forbidden: ptrace, process_vm_readv, process_vm_writev, unshare, setns, mount, umount2, pivot_root,
 * add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, open_by_handle_at, kcmp, pidfd_getfd,
 * and the calls that make mounts by descriptors: open_tree to fspick, mount_setattr. Absent: io_uring.
 */
const architectures: Readonly<Record<Architecture, ArchitectureNumbers>> = {
  x64: {
    audit: 0xc000003e,
    second: 0x40000000,
    ioctl: 16,
    socket: 41,
    clone: 56,
    clone3: 435,
    forbidden: [
      101, 310, 311, 272, 308, 165, 166, 155, 248, 249, 250, 321, 298, 323, 304, 312, 438, 428, 429, 430, 431,
      432, 433, 442,
    ],
    absent: [425, 426, 427],
  },
  arm64: {
    audit: 0xc00000b7,
    ioctl: 29,
    socket: 198,
    clone: 220,
    clone3: 435,
    forbidden: [
      117, 270, 271, 97, 268, 40, 39, 41, 217, 218, 219, 280, 241, 282, 265, 272, 438, 428, 429, 430, 431,
      432, 433, 442,
    ],
    absent: [425, 426, 427],
  },
};

function isKnown(name: string): name is Architecture {
  return name in architectures;
}

/** One instruction of classic BPF: code, jump if true, jump if false, operand. */
type Instruction = readonly [code: number, yes: number, no: number, operand: number];

const load = 0x20;
const isEqual = 0x15;
const isAtLeast = 0x35;
const hasBits = 0x45;
const end = 0x06;

const allow = 0x7fff0000;
const refuse = 0x00050000;
const notPermitted = refuse | 1;
const notImplemented = refuse | 38;

/** Offsets in the record that the kernel passes. */
const numberAt = 0;
const architectureAt = 4;
const firstArgumentAt = 16;
const secondArgumentAt = 24;

const newUserNamespace = 0x10000000;
/** Puts characters into a terminal's input, and the console's clipboard, which can do the same. */
const typingRequests = [0x5412, 0x541c];

/**
 * Unix, IPv4, IPv6 and netlink. Others are not separate for a network of its own: with vsock a program in a
 * virtual machine talks to the machine around it.
 */
const families = [1, 2, 10, 16];
const unknownFamily = refuse | 97;

function programFor(numbers: ArchitectureNumbers): readonly Instruction[] {
  const answer = (value: number): Instruction => [end, 0, 0, value];
  /** Answers if the loaded value fits; otherwise the next instruction runs. */
  const answerIf = (test: number, operand: number, value: number): readonly Instruction[] => [
    [test, 0, 1, operand],
    answer(value),
  ];
  /** Looks at one argument of one call: the lower half, which is all that the kernel uses of it. */
  const onCall = (call: number, at: number, checks: readonly Instruction[]): readonly Instruction[] => [
    [isEqual, 0, checks.length + 2, call],
    [load, 0, 0, at],
    ...checks,
    answer(allow),
  ];
  /** Allows one call with these values of an argument only. */
  const onlyOnCall = (call: number, at: number, values: readonly number[]): readonly Instruction[] => [
    [isEqual, 0, values.length * 2 + 2, call],
    [load, 0, 0, at],
    ...values.flatMap((value) => answerIf(isEqual, value, allow)),
    answer(unknownFamily),
  ];
  return [
    [load, 0, 0, architectureAt],
    [isEqual, 1, 0, numbers.audit],
    answer(notPermitted),
    [load, 0, 0, numberAt],
    ...(numbers.second === undefined ? [] : answerIf(isAtLeast, numbers.second, notImplemented)),
    ...numbers.forbidden.flatMap((call) => answerIf(isEqual, call, notPermitted)),
    ...[numbers.clone3, ...numbers.absent].flatMap((call) => answerIf(isEqual, call, notImplemented)),
    ...onCall(numbers.clone, firstArgumentAt, answerIf(hasBits, newUserNamespace, notPermitted)),
    ...onlyOnCall(numbers.socket, firstArgumentAt, families),
    ...onCall(
      numbers.ioctl,
      secondArgumentAt,
      typingRequests.flatMap((request) => answerIf(isEqual, request, notPermitted)),
    ),
    answer(allow),
  ];
}

function bytesOf(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, yes, no, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(yes, at * 8 + 2);
    bytes.writeUInt8(no, at * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, at * 8 + 4);
  }
  return bytes;
}
