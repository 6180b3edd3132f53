import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../setup/database.ts';
import { type Action, actions, outcomes } from './actions.ts';
import { eventNames, graphs } from './graphs.ts';
import { Model } from './model.ts';
import type { Settings } from './model-state.ts';
import { tellModel, tellWorld } from './outcome.ts';
import { World } from './world.ts';

const database = useTestDatabase();

const settings: fc.Arbitrary<Settings> = fc.record({
  graphs: fc.tuple(graphs, graphs),
  eventName: fc.constantFrom(...eventNames),
  allowReentry: fc.boolean(),
  outcomes: fc.array(fc.constantFrom(...outcomes), { minLength: 1, maxLength: 5 }),
});
const toTheEnd: Action = { kind: 'look', times: 30, twice: false };

it('behaves like the model in any order of actions', async () => {
  await fc.assert(
    fc.asyncProperty(settings, actions, async (given, happens) => {
      const model = new Model(given);
      const world = new World(database.orm, given);
      await world.begin();
      for (const action of [...happens, toTheEnd]) {
        model.act(action);
        await world.act(action);
      }
      expect(await tellWorld(database.orm, world)).toEqual(tellModel(model));
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 40) },
  );
});
