import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;
type Direction = 'input' | 'output';

// Formats that need no regular expression in the document.
const namedFormats = new Set(['uuid', 'email', 'date-time', 'date', 'uri']);

/**
 * Converts zod schemas to JSON Schema for OpenAPI 3.1. A schema with `.meta({ id })` becomes a shared component;
 * where request and response differ, the one registered second gets the suffix `Input` or `Output`.
 */
export function createSchemaCollector() {
  const components: Record<string, JsonSchema> = {};
  // Cached, because most operations share one error schema.
  const added = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() };

  function add(schema: z.ZodType, io: Direction): JsonSchema {
    const known = added[io].get(schema) ?? convert(schema, io);
    added[io].set(schema, known);
    return known;
  }

  function convert(schema: z.ZodType, io: Direction): JsonSchema {
    // Wrapped in an object so that a schema with an id becomes a reference.
    const converted = z.toJSONSchema(z.object({ schema }), {
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => tidy(jsonSchema, io),
    });
    const json = JSON.stringify(converted);
    const { definitions } = readNamed(json, (id) => id);
    const names = new Map(
      Object.entries(definitions).map(([id, definition]) => {
        const isNew = isDeepStrictEqual(components[id] ?? definition, definition);
        return [id, isNew ? id : `${id}${io === 'input' ? 'Input' : 'Output'}`];
      }),
    );
    const named = readNamed(json, (id) => names.get(id) ?? id);
    for (const [id, definition] of Object.entries(named.definitions)) {
      components[names.get(id) ?? id] = definition;
    }
    return named.schema;
  }

  return { components, add };
}

function readNamed(json: string, nameOf: (id: string) => string) {
  const document: { properties: { schema: JsonSchema }; $defs?: Record<string, JsonSchema> } = JSON.parse(
    json,
    (key, value) =>
      key === '$ref' ? `#/components/schemas/${nameOf(value.slice('#/$defs/'.length))}` : simplify(value),
  );
  return { schema: document.properties.schema, definitions: document.$defs ?? {} };
}

/** Rewrites constructs that some client generators, such as those for Go and Python, don't understand. */
function simplify(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const { type: types, ...rest }: JsonSchema = { ...schema };
  if (Array.isArray(types) && types.filter((type) => type !== 'null').length > 1) {
    return { ...rest, anyOf: types.map((type) => ({ type })) };
  }
  const { anyOf: options, ...others }: JsonSchema = { ...schema };
  if (!Array.isArray(options) || !options.every(({ type }) => type === 'string')) return schema;
  if (!options.some((option) => option.const === '')) return schema;
  // A string that may be empty.
  const { format: _, minLength: __, const: ___, ...text } = Object.assign({}, ...options);
  return { ...others, ...text };
}

function tidy(schema: JsonSchema, io: Direction): void {
  // Answers may gain fields and unknown request fields are ignored, so neither is closed.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.properties !== undefined && isDeepStrictEqual(schema.additionalProperties, {})) {
    delete schema.additionalProperties;
  }
  if (typeof schema.format === 'string' && namedFormats.has(schema.format)) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (io === 'output') delete schema.default;
}
