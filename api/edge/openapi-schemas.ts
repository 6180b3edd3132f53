import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

/** Formats whose regular expression says nothing more to a reader. */
const namedFormats = new Set(['uuid', 'email', 'date-time', 'date', 'uri']);

/**
 * Turns zod schemas into JSON Schema of OpenAPI 3.1. A schema with `.meta({ id })` becomes a component, once;
 * where request and response differ, the one for requests is called `<id>Input`.
 */
export function createSchemaCollector() {
  const components: Record<string, JsonSchema> = {};

  function add(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Inside of a member even a schema with an id of its own becomes a reference.
    const document: JsonSchema = z.toJSONSchema(z.object({ schema }), {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      override: ({ jsonSchema }) => tidy(jsonSchema, io),
    });
    const definitions = asRecord(document.$defs);
    const names = new Map<string, string>();
    for (const [id, definition] of Object.entries(definitions))
      names.set(id, nameOf(id, definition, definitions, io));
    for (const [id, definition] of Object.entries(definitions)) {
      components[names.get(id) ?? id] = asRecord(pointTo(definition, names));
    }
    return asRecord(pointTo(asRecord(document.properties).schema, names));
  }

  /** The id itself unless a component of that name has another shape already. */
  function nameOf(id: string, definition: unknown, definitions: JsonSchema, io: 'input' | 'output'): string {
    const own = new Map(Object.keys(definitions).map((each) => [each, each]));
    const existing = components[id];
    if (existing === undefined) return id;
    const isSame = JSON.stringify(existing) === JSON.stringify(pointTo(definition, own));
    return isSame ? id : `${id}${io === 'input' ? 'Input' : 'Output'}`;
  }

  return { components, add };
}

function asRecord(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function tidy(schema: JsonSchema, io: 'input' | 'output'): void {
  // Answers may grow fields and unknown fields of requests are ignored: neither is closed.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (typeof schema.format === 'string' && namedFormats.has(schema.format)) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (io === 'output') delete schema.default;
}

/** The same schema with references to components instead of local definitions. */
function pointTo(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => pointTo(each, names));
  if (typeof value !== 'object' || value === null) return value;
  const result: JsonSchema = {};
  for (const [key, each] of Object.entries(value)) {
    if (key === '$ref' && typeof each === 'string' && each.startsWith('#/$defs/')) {
      const id = each.slice('#/$defs/'.length);
      result.$ref = `#/components/schemas/${names.get(id) ?? id}`;
    } else if (key !== 'id' || typeof each !== 'string') {
      result[key] = pointTo(each, names);
    }
  }
  return result;
}
