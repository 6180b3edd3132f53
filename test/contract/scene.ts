import { expect } from 'vitest';
import type { TestAnswer } from '../setup/answer.ts';
import { createTestPerson, type TestPerson } from '../setup/people.ts';
import type { Call } from './call.ts';
import { ask, credentials } from './caller.ts';
import type { ContractLine } from './line.ts';
import { startStage } from './stage.ts';
import { createWorld, fingerprint, settledFingerprint, type World } from './world.ts';

export interface Scene {
  url: string;
  ours: World;
  theirs: World;
  /** A world that some tests disable. */
  closed: World;
  member: TestPerson;
  admin: TestPerson;
  send(line: ContractLine, call: Call, world?: World): Promise<TestAnswer>;
  /** A valid request that tests make invalid: created once and never executed. */
  refusable(line: ContractLine): Promise<Call>;
  /** Runs `prepare`, then expects that `act` changes nothing in the other project. */
  leavesTheirs<Prepared>(
    prepare: () => Promise<Prepared>,
    act: (prepared: Prepared) => Promise<void>,
  ): Promise<void>;
  disable(isDisabled: boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startScene(): Promise<Scene> {
  const stage = await startStage();
  const { stack } = stage;
  const { url } = stack;
  const [ours, theirs, closed, member, admin] = await Promise.all([
    createWorld(stage, 'fresh'),
    createWorld(stage, 'still'),
    createWorld(stage, 'still'),
    createTestPerson(url),
    createTestPerson(url),
  ]);
  await stack.sql(
    `insert into memberships (project_id, user_id, role) values ($1, $2, 'MEMBER'), ($1, $3, 'ADMIN')`,
    [ours.project.id, member.id, admin.id],
  );
  const refusable = new Map<ContractLine, Promise<Call>>();
  let before = await settledFingerprint(theirs);
  return {
    url,
    ours,
    theirs,
    closed,
    member,
    admin,
    send: (line, call, world = ours) => ask(url, line, call, credentials(line.key, world)),
    refusable(line) {
      const known = refusable.get(line) ?? Promise.resolve(line.valid(ours));
      refusable.set(line, known);
      return known;
    },
    async leavesTheirs(prepare, act) {
      const prepared = await prepare();
      if ((await fingerprint(theirs)) !== before) before = await settledFingerprint(theirs);
      await act(prepared);
      expect(await fingerprint(theirs)).toBe(before);
    },
    async disable(isDisabled) {
      await stack.sql('update projects set disabled = $2 where id = $1', [closed.project.id, isDisabled]);
      await stack.sql(`select pg_notify('project_changed', $1)`, [closed.project.id]);
    },
    close: () => stage.close(),
  };
}
