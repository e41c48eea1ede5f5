/** What a fetched revision must hold, by SHA-256. */
export interface Manifest {
  readonly revision: string;
  readonly url: string;
  /** Folders that are taken whole. */
  readonly folders: readonly PinnedFolder[];
  /** Single files: path in the data folder, and hash. They are found in the archive by what they hold. */
  readonly files: Readonly<Record<string, string>>;
  /** Files that are made from the Python sources. */
  readonly made: Readonly<Record<string, string>>;
}

/** A folder of the benchmark, pinned by the hash of its files. */
export interface PinnedFolder {
  /** In the archive, below its first folder. */
  readonly from: string;
  readonly to: string;
  readonly ending: string;
  readonly files: number;
  /** Of the lines `hash, two blanks, name`, sorted by name: `sha256sum * | sha256sum`. */
  readonly sha256: string;
}

const BANK = 'domains/banking_knowledge';

/** The revision of tau2-bench that our figures are about. */
export const TAU2: Manifest = {
  revision: 'a2c0247',
  url: 'https://codeload.github.com/sierra-research/tau2-bench/tar.gz/a2c0247',
  folders: [
    {
      from: `data/tau2/${BANK}/documents`,
      to: `${BANK}/documents`,
      ending: '.json',
      files: 698,
      sha256: '8ea7adaa90939ba1b3cd6982daa02d8f2f6dea5ecd5de978bb92f27d839f7238',
    },
    {
      from: `data/tau2/${BANK}/tasks`,
      to: `${BANK}/tasks`,
      ending: '.json',
      files: 97,
      sha256: 'e0363112e7e69186648c9a92b0f4038dfdcdc02d2ba03173cc3aa5cde07caddf',
    },
  ],
  files: {
    'NOTICE-tau2-LICENSE.txt': 'e67c5aa0074dfcaefd3c3a1aedb94cb539234aecd15d5a972574e3200e6252fe',
    [`${BANK}/db.json`]: 'e692feb797c659f0e21ff7380aa87beb4e95a0694d7bb7945f073102f0293d28',
    [`${BANK}/prompts/agentic_search.md`]: 'b6a7874821808596a8f87d8b6fdc4956cf16b5b3494d11716ab15b71f1a6f6ab',
    [`${BANK}/prompts/agentic_search_write.md`]: '5d82721f091ae6775e1d0ee2fb05569b6bf035ed0f3f433646d570f39a1c77f0',
    [`${BANK}/prompts/all_tools.md`]: 'f8aa9f3ee9f8886059a2f3c637f880eadd95ad3dd62b5b6ae02d18c14c4c0f30',
    [`${BANK}/prompts/classic_rag.md`]: 'becc0f092ab89f6ff857c7f0997a076490837719cb2ea4df5d2951bb9df75a18',
    [`${BANK}/prompts/classic_rag_bm25.md`]: '8da20e276e1733f25668ba6cde4c2853f78c17bf58bebb4c125a2b6a820975b3',
    [`${BANK}/prompts/classic_rag_bm25_no_grep.md`]: '84ac1a68e0ca59f4cb870faf124202887e7e4f2e92dbd4d62c78ad2bcbb16d3b',
    [`${BANK}/prompts/classic_rag_openai.md`]: 'ced2da23cd634e1642820aaa36a5759b97f4940d5731ea2d7888e07ef51b8401',
    [`${BANK}/prompts/classic_rag_openai_no_grep.md`]:
      'c19fcd37a6b3911e168db668f544d1feaa0fab078b4c559f0489ee26580dd220',
    [`${BANK}/prompts/classic_rag_qwen.md`]: 'feaff53228dc022fe09bde03a915207a189824ab2f128df9f3035e257079a989',
    [`${BANK}/prompts/classic_rag_qwen_no_grep.md`]: 'cc8f2d8537021ffef4cb861727acb9e15c4e9e8281fb279ab5be4438044420ef',
    [`${BANK}/prompts/components/additional_instructions.md`]:
      '03f6af1b56aa2fa6543ee4883ea9979ac5f5e158b20dd32d91d9736de87bab6a',
    [`${BANK}/prompts/components/policy_header.md`]: 'd73a0578670becb80b7c1a57cdbe68a2ea506a884cdf41e2e310dd3c13e63a85',
    [`${BANK}/prompts/components/shell_instructions.md`]:
      '668b7aa09497bfbd383249d572e8cbfb7c9931aac1351c1caf7897589603b0a7',
    [`${BANK}/prompts/full_kb.md`]: '0cf90e3e6316223db11ea722620cb1a16e28752fc2b2fbb7ea1bc233eb7cb056',
    [`${BANK}/prompts/grep_only.md`]: '32dfb430840446bfecdf3593a92e0db734d339c23c8ec83d2b2754952efbf8c2',
    [`${BANK}/prompts/no_knowledge.md`]: '9ba20b65c1ef5eeab2b8418f9b2d171a2975e4b204ad3ed395ad8e88cff0a5cf',
    [`${BANK}/prompts/required_docs.md`]: '83a1654e2cc03fde280d49e0ccf37f898073c223c682abe66692157739067fea',
    'domains/mock/db.json': '8661f80b4c693bb15ef2fe6781d24a5765240d61fc74387c770133953f9113ea',
    'domains/mock/policy.md': '50ccbefac7c9ba77ce54131d61cfc6882f74b88ace66771115f9d867ec098203',
    'domains/mock/policy_solo.md': '2608375977bdeedd9cf34ab437b213403c8e97e9929d5094338355a994ac0c86',
    'domains/mock/split_tasks.json': '613c3298e6fd3cf03f71f848ecee519068eb4df54a1ceb28596f5aa443ee6581',
    'domains/mock/tasks.json': '0d8bcd14798bf2e6e082432147f62570c57b0897b4e4e388c95bb02ecbe5d8cf',
    'domains/mock/user_db.json': '78d424b5177e430b7f483787a956ad3a6a0880e8e5b312be8e373b15c876d51f',
    'leaderboard/example_submission.json': 'e81a0c7f314d4f88cf3d0b180bf2ab35cfa88a54f925968710631b3f7f9183d4',
    'leaderboard/schema.json': '1288c6d59d32b59f4c692647cddde4794661a8b9f4874548069fd7218a8c8f2b',
    'user_simulator/simulation_guidelines.md': '740a29dfa64d7bc08eea3bf7493575b914a63f744acbaf7f199ee07eddaf72d3',
    'user_simulator/simulation_guidelines_tools.md': 'cbf3d8a4d8642fd04e559862f1afef55d7dd4e6a7e727ca49e239023c599de0c',
  },
  made: {
    [`${BANK}/tools.json`]: '6034af2b43aa0ebd95ce3d3987fa331eff99a808be1547800ee33c91d5446689',
    'domains/mock/tools.json': 'd241e23486ad4f802c3cb0f0429e22efe46656c3f2dc9e4a00adb5f8b6f149e9',
  },
};
