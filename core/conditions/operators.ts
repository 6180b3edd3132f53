import type { CampaignActivity, Comparison } from './condition.ts';

export type OperatorTest =
  | 'equal'
  | 'oneOf'
  | 'containing'
  | Comparison
  | 'present'
  | 'within'
  | 'olderThan'
  | 'countAbove'
  | 'countFrom'
  | 'member'
  | CampaignActivity;

export interface OperatorRule {
  test: OperatorTest;
  negated: boolean;
}

export type OperatorTable = ReadonlyMap<string, OperatorRule>;

const holds = (test: OperatorTest): OperatorRule => ({ test, negated: false });
const fails = (test: OperatorTest): OperatorRule => ({ test, negated: true });

const equality = { equals: holds('equal'), notEquals: fails('equal') };
const listing = { in: holds('oneOf'), notIn: fails('oneOf') };
const containment = { contains: holds('containing'), notContains: fails('containing') };
const order = {
  greaterThan: holds('greaterThan'),
  lessThan: holds('lessThan'),
  greaterThanOrEqual: holds('greaterThanOrEqual'),
  lessThanOrEqual: holds('lessThanOrEqual'),
};
const presence = { exists: holds('present'), notExists: fails('present') };
const age = { within: holds('within'), olderThan: holds('olderThan') };
const history = {
  triggered: holds('present'),
  triggeredWithin: holds('within'),
  /** The event happened, but not since then: tests the age of the last one. */
  triggeredOlderThan: holds('olderThan'),
  notTriggered: fails('present'),
  notTriggeredWithin: fails('within'),
  countGreaterThan: holds('countAbove'),
  /** Includes zero: the negation of having at least that many. */
  countLessThan: fails('countFrom'),
};
const membership = { memberOfSegment: holds('member'), notMemberOfSegment: fails('member') };

/** The negations also hold for contacts that the campaign never reached. */
const activity = {
  sent: holds('sent'),
  notSent: fails('sent'),
  opened: holds('opened'),
  notOpened: fails('opened'),
  clicked: holds('clicked'),
  notClicked: fails('clicked'),
};

const table = (rules: Record<string, OperatorRule>): OperatorTable => new Map(Object.entries(rules));

export const operatorTables = {
  email: table({ ...equality, ...containment }),
  subscribed: table(equality),
  randomGroup: table({ lessThan: holds('lessThan'), greaterThanOrEqual: fails('lessThan') }),
  instant: table({ ...equality, ...order, ...presence, ...age }),
  data: table({ ...equality, ...listing, ...containment, ...order, ...presence, ...age }),
  event: table(history),
  segment: table(membership),
  campaign: table(activity),
};
