import type { Agent, Budget, Clock, Outcome, Seams } from 'flyball';
import type { Expectation, Moments } from './exactly.js';
import type { SimulatedModel } from './simulated.js';

/** Stands on every table and page of the laboratory. */
export const CONDITION =
  'These results are about orchestration on simulated models with the parameters shown. They say nothing about prompts or real models.';

/** What an arm is made with. */
export interface ArmSetting {
  /** Decides all noise. */
  readonly seed: string;
  readonly items: number;
  /** Of the laboratory: virtual, and moves by itself. Latencies, retries and waits take no real time. */
  readonly clock: Clock;
}

/** How an item ended. */
export interface Ended {
  readonly item: number;
  readonly outcome: Outcome<unknown>;
  /** Virtual time that it took. */
  readonly ms: number;
  /** Its journal, where the arm wants it. */
  readonly entries: readonly unknown[];
}

/** A composition with the models it is asked with. */
export interface ReadyArm {
  /** Gets the number of an item. */
  readonly agent: Agent<number, unknown>;
  readonly models: readonly SimulatedModel[];
  /** From 0 to 1. */
  readonly score: (ended: Ended) => number;
  readonly seams?: Seams;
  readonly budget?: Partial<Budget>;
  /** On virtual time: latencies, retries and waits take none of ours. */
  readonly isTimed?: true;
  /** One item at a time: what is measured is time, or the items share something. */
  readonly serial?: true;
  /** `score` reads the journal. */
  readonly reads?: 'journal';
  /** After the last item: ends what the arm has opened. */
  readonly close?: () => Promise<unknown>;
  /** Decides about a run that waits for a person. */
  readonly person?: (item: number) => 'approve' | 'reject';
}

/** One side of a comparison. Arms of one name are run once and shared. */
export interface Arm {
  readonly name: string;
  readonly open: (setting: ArmSetting) => ReadyArm | Promise<ReadyArm>;
}

/** What a pattern is claimed to do in a world, with a family of models, at these parameters. */
export interface Claim {
  readonly id: string;
  /** The id of the pattern. */
  readonly pattern: string;
  readonly world: string;
  readonly family: string;
  readonly parameters: Readonly<Record<string, number | string>>;
  /** One sentence. */
  readonly says: string;
  /** Against the baseline: better, no better for its cost, or a rule that holds whatever the model does. */
  readonly side: 'gains' | 'loses' | 'holds';
  /** The law behind the expectation, in words of mathematics. */
  readonly formula: string;
  readonly arm: Arm;
  readonly baseline: Arm;
  /** Computed by code, without a run. */
  readonly expected: (items: number) => Expectation | Promise<Expectation>;
  readonly expectedBaseline: (items: number) => { readonly value: Moments } | Promise<{ readonly value: Moments }>;
  /** An item costs as much as this many others. */
  readonly weight?: number;
}

/** |z| of a claim has to stay below it. */
export const TOLERANCE = 4;
