/** A mending that is undone: a place of the sources, as it is and as it was, or might have been. */
export interface PlantedFault extends Edit {
  readonly name: string;
  readonly what: string;
  /** A second place, where two guard against the same. */
  readonly and?: Edit;
  /** Why the simulator does not find it yet. */
  readonly missed?: string;
}

export interface Edit {
  /** Under packages/flyball/src. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly put: string;
}

/** Those of the trials from outside, by their ids: each mending undone. */
const FOUND_OUTSIDE: readonly PlantedFault[] = [
  {
    name: 'F-C1',
    file: 'runtime/history/standing.ts',
    what: 'what a bound stopped stays stopped after the bound is lifted',
    find: "    return event.type === 'abort' && event.cutOff !== true ? 'void-from-start' : 'void';\n  }",
    put: "    return 'delivered';\n  }",
  },
  {
    name: 'F-C2',
    file: 'runtime/effects/effect.ts',
    what: 'a stopped body is left behind after two turns, as if it had ended',
    find: "      if (graceMs === undefined || attempt.life.isDead) setImmediate(() => setImmediate(leaveBehind));\n      else {\n        cancelTimer?.();\n        cancelTimer = clock.after(Math.max(0, until - clock.monotonic()) + graceMs, leaveBehind);\n      }\n    };\n    const leaveBehind = (): void => {\n      if (stopped === undefined) return;\n      finish({ ended: 'stopped', reason: stopped, settled: false });",
    put: "      setImmediate(() => setImmediate(leaveBehind));\n    };\n    const leaveBehind = (): void => {\n      if (stopped === undefined) return;\n      finish({ ended: 'stopped', reason: stopped, settled: until > 0 });",
  },
  {
    name: 'F-C3',
    file: 'runtime/effects/doubt.ts',
    what: 'a cancelled run makes on resume what was only intended',
    find: 'return pending.closedBy !== undefined && act.rules.compensate === undefined && !attempt.effects.canGoOnLater;',
    put: 'return pending.closedBy === undefined && act.rules.compensate === undefined && attempt.life.isDead;',
    and: {
      file: 'runtime/effects/drive-act.ts',
      find: 'const isWanted = pending.closedBy === undefined || (wasAttempted && act.rules.compensate !== undefined);',
      put: 'const isWanted = pending.closedBy === undefined || wasAttempted;',
    },
  },
  {
    name: 'F-C4',
    file: 'runtime/open-effects.ts',
    what: 'the loser of first keeps the run from going on in a new generation',
    find: '    if (this.closedBy !== undefined) return false;\n    return this.branches > 0',
    put: '    return this.branches > 0',
  },
  {
    name: 'F-C5',
    file: 'adapters/engine-memory/run-messages.ts',
    what: 'two verdicts on one question are both accepted',
    find: "        if (run.inbox.some(({ kind, name }) => kind === 'answer' && name === message.name)) return 'answered';\n",
    put: '',
  },
  {
    name: 'F-C6',
    file: 'runtime/run-clock.ts',
    what: 'durations follow a date that somebody sets',
    find: '  monotonic(): number {\n    return this.clock.monotonic();\n  }\n\n  after(',
    put: '  monotonic(): number {\n    return this.clock.now();\n  }\n\n  after(',
  },
  {
    name: 'F-C7',
    file: 'runtime/opening.ts',
    what: 'the damage of one run ends the loop of every worker that comes to it',
    find: '    if (isStorageFailure(error)) home.dropLease(claim.runId);\n',
    put: "    if (isStorageFailure(error) || (error as { readonly code?: string }).code === 'JOURNAL_CORRUPT') home.dropLease(claim.runId);\n",
    and: {
      file: 'runtime/worker.ts',
      find: '    if (error instanceof JournalConflictError || this.stopped) return;\n',
      put: "    if (error instanceof JournalConflictError || this.stopped) return;\n    if (error instanceof FlyballError && error.code === 'JOURNAL_CORRUPT') return this.stopLooking();\n",
    },
  },
  {
    name: 'F-C8',
    file: 'adapters/engine-sqlite/entry-chain.ts',
    what: 'nobody looks at the checksums of entries',
    find: "      if (checksum !== checksumIn(row, 'checksum')) throw entryDamaged(runId, at, 'changed');\n      if (tip?.seq === at.seq && checksum !== tip.checksum) throw entryDamaged(runId, at, 'changed');\n",
    put: '',
  },
  {
    name: 'F-C9',
    file: 'runtime/finish.ts',
    what: 'each generation carries what all before it have to undo',
    find: 'toUndo: before.toUndo + undo.length,',
    put: "toUndo: before.toUndo + undo.length, pins: { ...before.pins, saga: [...((before.pins['saga'] as unknown[] | undefined) ?? []), ...undo] },",
  },
  {
    name: 'F-C10',
    file: 'core/ledger.ts',
    what: 'what a model reports beyond its maximum is not counted',
    find: '    this.debit(actual);\n    this.mayHaveCost(possibly, { shown: true });',
    put: '    this.debit(Object.fromEntries(Object.entries(actual).map(([axis, amount]) => [axis, Math.min(amount ?? 0, reserved[axis as never] ?? amount ?? 0)])));\n    this.mayHaveCost(possibly, { shown: true });',
  },
  {
    name: 'F-C11',
    file: 'runtime/trials.ts',
    what: 'runs that crash again and again are not tried alone',
    find: 'return this.suspect === undefined ? [innocent, { crashes: { from: this.after }, limit: 1 }] : [innocent];',
    put: 'return [{ crashes: {}, limit: innocent.limit }];',
  },
  {
    name: 'F-C12',
    file: 'runtime/herald.ts',
    what: 'a worker takes runs of another version while theirs is there',
    find: 'Object.hasOwn(mine, agent) && mine[agent] !== version ? [{ agent, version }] : [],',
    put: 'Object.hasOwn(mine, agent) && mine[agent] === `` ? [{ agent, version }] : [],',
  },
  {
    name: 'F-C13',
    file: 'runtime/rollback.ts',
    what: 'compensations are made without a look at the lease',
    find: '  if (attempt.life.holdsLease || (await attempt.life.regainsLease())) return;\n  attempt.life.fail(',
    put: '  if (attempt.runId !== effect) return;\n  attempt.life.fail(',
  },
  {
    name: 'F-C1b',
    file: 'runtime/history/standing.ts',
    what: 'that code was stuck under a bound stays so after the bound is lifted',
    find: "    lifted.isOnTheWayOut('', place) ? 'void' : own ? 'delivered' : 'kept',\n  redirect",
    put: "    own ? 'delivered' : 'kept',\n  redirect",
  },
  {
    name: 'F-C2b',
    file: 'runtime/effects/branches.ts',
    what: 'a loser in doubt keeps first from going on',
    find: 'await attempt.effects.open.actsSettled(loser.path);',
    put: 'await attempt.effects.open.intentsEnded(loser.path);',
  },
  {
    name: 'F-C6b',
    file: 'runtime/run-clocks.ts',
    what: 'a sleep does not end after the date was set back',
    find: 'return this.line.slice(0, this.placeAfter(this.clock.monotonic())).filter((one) => this.isAsleep(one));',
    put: 'return [];',
  },
  {
    name: 'F-C6c',
    file: 'core/unseen-work.ts',
    what: 'the time of killed lives does not count',
    find: 'return Math.trunc(',
    put: 'return 0 * Math.trunc(',
  },
  {
    name: 'F-C6d',
    file: 'adapters/engine-memory/run-ownership.ts',
    what: 'an engine does not count the time of killed lives when it hands a run over',
    find: 'activeMs: run.activeMs + (previous === undefined ? 0 : workedUnseen(run.aliveAt, by)),',
    put: 'activeMs: previous === undefined ? run.activeMs : 0 * workedUnseen(run.aliveAt, by),',
  },
  {
    name: 'F-C10b',
    file: 'runtime/finish.ts',
    what: 'a run that spent more than it has ends as done',
    find: "const over = outcome.stop === 'done' ? attempt.effects.root.ledger.overspent() : undefined;",
    put: 'const over = undefined as ReturnType<typeof attempt.effects.root.ledger.overspent>;',
  },
  {
    name: 'F-C10c',
    file: 'runtime/books.ts',
    what: 'nobody is told of a model that reports more than was reserved for it',
    find: "    this.run.journal.push({ type: 'operator-alert', alert: 'over-reservation', effect: event.id, why });\n",
    put: '    void why;\n',
  },
  {
    name: 'F-C11b',
    file: 'adapters/engine-memory/run-journals.ts',
    what: 'a run that has got on still counts its crashes',
    find: '  if (batch.progress === true) run.crashes = 0;\n',
    put: '',
  },
];

const OTHERS: readonly PlantedFault[] = [
  {
    name: 'fence-stands-still',
    file: 'adapters/engine-memory/run-ownership.ts',
    what: 'a claim does not get a new fencing number',
    find: "    status: 'running',\n    fence: run.fence + 1,",
    put: "    status: 'running',\n    fence: run.fence,",
  },
  {
    name: 'old-fence-writes',
    file: 'adapters/engine-memory/run-journals.ts',
    what: 'whoever lost the run can still write to it',
    find: '      const run = state.held(claim);\n      if (run === undefined) return Promise.reject(staleClaim(claim));',
    put: '      const run = runs.get(claim.runId);\n      if (run === undefined) return Promise.reject(staleClaim(claim));',
  },
  {
    name: 'old-fence-releases',
    file: 'adapters/engine-memory/run-ownership.ts',
    what: 'whoever lost the run can still give it back',
    find: '      const run = state.held(claim);\n      if (run === undefined) return;',
    put: '      const run = state.runs.get(claim.runId);\n      if (run === undefined) return;',
  },
  {
    name: 'renewal-after-loss',
    file: 'adapters/engine-memory/run-ownership.ts',
    what: 'the lease of a lost run is renewed',
    find: '        const run = state.held(claim);\n        if (run === undefined) stale',
    put: '        const run = state.runs.get(claim.runId);\n        if (run === undefined) stale',
  },
  {
    name: 'repeat-written',
    file: 'adapters/engine-memory/memory-run.ts',
    what: 'a write that arrives a second time is written again',
    find: '    if (entry.seq < next) return { entry };\n',
    put: '',
  },
  {
    name: 'lease-for-ever',
    file: 'runtime/run-life.ts',
    what: 'a process believes that it holds what it once held',
    find: 'return !this.isDead && clock.monotonic() < (host.leases.get(runId) ?? Number.NEGATIVE_INFINITY);',
    put: 'return !this.isDead && host.leases.has(runId);',
  },
  {
    name: 'act-without-lease',
    file: 'runtime/effects/drive-act.ts',
    what: 'an effect is made without a look at the lease',
    find: '  if (!attempt.life.mayBegin(intent) && !(await attempt.life.regainsLease())) {',
    put: '  if (attempt.life.isDead) {',
  },
  {
    name: 'act-before-intent',
    file: 'runtime/effects/drive-act.ts',
    what: 'an effect is made before its INTENT is durable',
    find: '  pending.intended = true;\n  await attempt.journal.barrier();\n  // the commit',
    put: '  pending.intended = true;\n  void attempt.journal.barrier();\n  // the commit',
  },
  {
    name: 'no-is-believed',
    file: 'runtime/effects/doubt.ts',
    what: 'an effect is made again while whoever attempted it may be alive',
    find: "    if (answer.happened === 'no' && isSafe) return didNotHappen(attempt, pending, act, ended);\n    why = whyInDoubt(act, answer);",
    put: "    if (answer.happened === 'no') return didNotHappen(attempt, pending, act, ended);\n    why = whyInDoubt(act, answer);",
  },
  {
    name: 'no-doubt',
    file: 'runtime/effects/doubt.ts',
    what: 'an effect without a known end is made again',
    find: "if (act.class === 'idempotent' && intent.class === 'idempotent')",
    put: "if (act.class !== 'pure')",
  },
  {
    name: 'uncertain-stalls',
    file: 'runtime/stopped-here.ts',
    what: 'a write that may have been made stalls the run',
    find: "return error instanceof FlyballError && error.code.startsWith('STORAGE_');",
    put: "return error instanceof FlyballError && error.code.startsWith('STORAGE_') && error.code !== 'STORAGE_UNCERTAIN';",
  },
  {
    name: 'worker-gives-up',
    file: 'runtime/worker.ts',
    what: 'a worker whose storage failed once looks for nothing any more',
    find: '    try {\n      await this.look();\n    } finally {\n      await this.lookLater();\n    }',
    put: '    await this.look();\n    await this.lookLater();',
  },
  {
    name: 'unread-inbox',
    file: 'runtime/inbox.ts',
    what: 'a run is unloaded before it has read its messages',
    find: '    while (this.isOpen && (this.loading || this.offers.size > 0)) {',
    put: '    while (this.isOpen && this.loading && this.offers.size > 0) {',
  },
  {
    name: 'message-heard-twice',
    file: 'adapters/engine-memory/run-journals.ts',
    what: 'a message stays in the inbox after the run has heard it',
    find: '  for (const number of batch.taken ?? []) run.taken.add(number);\n  if (batch.progress === true) run.crashes = 0;\n  if (batch.taken !== undefined) takeMessages(run, batch.taken);\n',
    put: '  if (batch.progress === true) run.crashes = 0;\n  void takeMessages;\n',
  },
  {
    name: 'message-twice-by-id',
    file: 'adapters/engine-memory/run-messages.ts',
    what: 'a message that is sent again under its id is stored again',
    find: "      if (run.delivered.has(message.id)) return 'duplicate';\n",
    put: '',
  },
  {
    name: 'ended-runs-again',
    file: 'runtime/opening.ts',
    what: 'a run whose owner died between its end and its release runs again',
    find: 'if (recorded.end !== undefined) return restEnded(home, claim, loaded.entries, recorded.end);',
    put: "if (recorded.end !== undefined && recorded.end.outcome.stop === 'bounded') return restEnded(home, claim, loaded.entries, recorded.end);",
  },
  {
    name: 'calls-beyond-budget',
    file: 'runtime/books.ts',
    what: 'a call is let in without room for it in the budget',
    find: 'return outOfTime ?? (reserved === undefined ? scope.ledger.reserve(want) : undefined);',
    put: 'return outOfTime ?? (reserved === undefined && want.toolCalls === undefined ? scope.ledger.reserve(want) : undefined);',
  },
  {
    name: 'crashes-not-counted',
    file: 'adapters/engine-memory/run-ownership.ts',
    what: 'a run that kills its process is tried for ever',
    find: 'crashes: run.crashes + (previous === undefined ? 0 : 1),',
    put: 'crashes: 0,',
  },
  {
    name: 'undone-again',
    file: 'runtime/rollback.ts',
    what: 'a rollback that goes on after a crash undoes again what it has undone',
    find: '    attempt.journal.saga.undoEnd(undoId(attempt.runId, entry)) ?? (await compensate(attempt, entry, intent));',
    put: '    await compensate(attempt, entry, intent);',
  },
  {
    name: 'date-goes-back',
    file: 'runtime/run-clock.ts',
    what: 'the date of a run goes back with the clock of its machine',
    find: 'this.ahead = Math.max(this.ahead, this.clock.now() - passed);',
    put: 'this.ahead = this.clock.now() - passed;',
  },
  {
    name: 'finished-and-held',
    file: 'adapters/engine-memory/run-ownership.ts',
    what: 'a run that has ended keeps its owner',
    find: '    owner: undefined,\n    leaseUntil: undefined,\n    updatedAt: rest.now,',
    put: '    updatedAt: rest.now,',
  },
  {
    name: 'started-and-forgotten',
    file: 'runtime/new-runs.ts',
    what: 'a run that was stored and not dispatched is not dispatched when it is asked for again',
    find: "    if (error instanceof FlyballError && error.code === 'RUN_EXISTS') await dispatcher?.dispatch(run.id);\n",
    put: '    void dispatcher;\n',
  },
  {
    name: 'started-again',
    file: 'runtime/effects/other-runs.ts',
    what: 'what starts a run starts another one when it is made again after a crash',
    find: '    run: `run_${contentId(key)\n',
    put: '    run: `run_${contentId(key + attempt.claim.fence)\n',
  },
  {
    name: 'started-before',
    file: 'runtime/other-runs.ts',
    what: 'what starts a run fails when it is made again after a crash',
    find: "        if (codeOf(error) !== 'RUN_EXISTS') throw error;\n",
    put: '        if (codeOf(error) !== undefined) throw error;\n',
  },
  {
    name: 'losers-kept',
    file: 'runtime/effects/branches.ts',
    what: 'what the losers of first did stays',
    find: '    for (const loser of losers.reverse()) await undoBranch(attempt, scope, loser, why);\n',
    put: '    void losers;\n',
  },
  {
    name: 'strays-kept',
    file: 'runtime/rollback.ts',
    what: 'what a loser turns out to have done after it was undone stays',
    find: '  for (const entry of attempt.journal.saga.strays()) await undo(attempt, doneOf(attempt, entry));',
    put: '  void attempt;',
  },
  {
    name: 'pause-lost',
    file: 'runtime/run-life.ts',
    what: 'a pause is forgotten when the process dies before the run rests',
    find: "    this.wayOut ??= 'pause';\n    this.pauses.push(message);",
    put: "    this.wayOut ??= 'pause';\n    this.pauses.push(message);\n    this.run.journal.writer.take(message.number);",
  },
  {
    name: 'redirect-swallowed',
    file: 'runtime/inbox.ts',
    what: 'every second redirect is taken and not heard',
    find: 'if (owner.life.redirect(message.from, instructionIn(message))) owner.journal.writer.take(message.number);',
    put: 'owner.journal.writer.take(message.number); if (message.number % 2 === 0) owner.life.redirect(message.from, instructionIn(message));',
  },
  {
    name: 'leaver-announced',
    file: 'runtime/herald.ts',
    what: 'others leave its versions for an hour to a worker that has left',
    find: '    await this.say({ agents: {}, draining: true }, drainMs + this.settings.options.leaseMs);',
    put: '    await this.say({ agents: this.versions(), draining: true }, drainMs + 3_600_000);',
  },
  {
    name: 'resume-stands',
    file: 'adapters/engine-memory/run-messages.ts',
    what: 'a later pause does not take an earlier resume back',
    find: "return kind === 'pause' || before === 'nothing' ? 'messages' : before;",
    put: "return before === 'nothing' ? 'messages' : before;",
  },
  {
    name: 'requeue-keeps-crashes',
    file: 'adapters/engine-memory/run-ownership.ts',
    what: 'a run that somebody has decided to go on with still counts its crashes',
    find: "status: 'pending', crashes: 0 } as const;",
    put: "status: 'pending' } as const;",
  },
  {
    name: 'gone-and-leased',
    file: 'adapters/engine-memory/retention.ts',
    what: 'an owner that was declared gone keeps its leases',
    find: 'state.change(run, { leaseUntil: Math.min(run.leaseUntil ?? at, at), fence: run.fence + 1 });',
    put: 'state.change(run, { leaseUntil: Math.max(run.leaseUntil ?? at, at), fence: run.fence + 1 });',
  },
  {
    name: 'renewed-for-less',
    file: 'adapters/engine-memory/run-ownership.ts',
    what: 'a renewal holds a quarter as long as it is asked to',
    find: 'else Object.assign(run, { leaseUntil: now + leaseMs, aliveAt: now, activeMs });',
    put: 'else Object.assign(run, { leaseUntil: now + leaseMs / 4, aliveAt: now, activeMs });',
  },
];

export const plantedFaults: readonly PlantedFault[] = [...FOUND_OUTSIDE, ...OTHERS];
