/**
 * The import law: a folder says where its code may run and what it may touch. Tests may import what they like.
 * `test/law/import-law.ts` applies it, and finds circles of folders at every depth.
 */
const folders = {
  core: [],
  db: ['core'],
  providers: ['core'],
  analytics: [],
  journal: ['db', 'analytics', 'core'],
  'temporal/contracts': ['core'],
  'temporal/workflows': ['temporal/contracts'],
  runtime: ['core', 'db', 'providers', 'analytics'],
  'temporal/client': ['temporal/contracts', 'runtime', 'db', 'core'],
  'temporal/activities': ['temporal/contracts', 'core', 'db', 'providers', 'analytics', 'runtime'],
  'temporal/worker': [
    'temporal/contracts',
    'temporal/client',
    'temporal/activities',
    'journal',
    'core',
    'db',
    'providers',
    'analytics',
    'runtime',
  ],
  doctor: [
    'core',
    'db',
    'providers',
    'analytics',
    'journal',
    'runtime',
    'temporal/client',
    'temporal/contracts',
  ],
  'web/src': [],
  api: ['core', 'db', 'providers', 'analytics', 'runtime', 'temporal/client', 'temporal/contracts'],
};

/** Inside the API: routes → services and presenters → schemas; nothing below the edge knows of HTTP. */
const foldersOfApi = {
  'api/schemas': [],
  'api/access': [],
  'api/services': ['api/access', 'api/schemas'],
  'api/presenters': ['api/services', 'api/schemas'],
  'api/pages': ['api/services'],
  'api/edge': ['api/access', 'api/services'],
  'api/openapi': ['api/edge'],
  'api/dashboard': ['api/edge'],
  'api/routes': ['api/access', 'api/services', 'api/schemas', 'api/presenters', 'api/pages', 'api/edge'],
};

const runs = [...Object.keys(folders), 'local'];
const all = [...runs, 'bench', 'test', 'web'];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-development-dependency',
      comment: 'What runs in production is a production dependency.',
      severity: 'error',
      from: {
        path: '^(api|temporal|core|db|analytics|journal|providers|runtime|local)/',
        pathNot: ['\\.test\\.ts$', '/testing/'],
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-testing',
      comment: 'What only tests need stands in folders of that name.',
      severity: 'error',
      from: { path: `^(${runs.join('|')})/`, pathNot: ['\\.test\\.tsx?$', '/testing/'] },
      to: { path: '/testing/', pathNot: '^node_modules/' },
    },
    {
      name: 'workflows-run-in-the-sandbox',
      comment: 'Workflow code may use contracts and @temporalio/workflow, nothing else.',
      severity: 'error',
      from: { path: '^temporal/workflows/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^(temporal/(workflows|contracts)/|node_modules/@temporalio/(workflow|common)/)' },
    },
    {
      name: 'contracts-import-nothing',
      comment: 'They run in the sandbox. Types of core are erased.',
      severity: 'error',
      from: { path: '^temporal/contracts/' },
      to: { pathNot: '^temporal/contracts/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sql-stays-in-db',
      comment: 'Other layers call statements and repositories; only these write SQL.',
      severity: 'error',
      from: { path: '^(api|temporal|runtime|providers)/', pathNot: ['\\.test\\.ts$', '/testing/'] },
      to: { path: '^db/(sql\\.ts$|fragments/)' },
    },
    ...Object.entries(foldersOfApi).map(([folder, allowed]) => ({
      name: `law-of-${folder.replace('/', '-')}`,
      severity: 'error',
      from: { path: `^${folder}/`, pathNot: '\\.test\\.ts$' },
      to: { path: '^api/', pathNot: `^(${[folder, ...allowed].join('|')})/` },
    })),
    ...Object.entries(folders).map(([folder, allowed]) => ({
      name: `law-of-${folder.replace('/', '-')}`,
      severity: 'error',
      from: { path: `^${folder}/`, pathNot: ['\\.test\\.ts$', '/testing/'] },
      to: {
        path: `^(${all.join('|')})/`,
        pathNot: `^(${[folder, ...allowed].join('|')})/`,
      },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.cache|\\.data)/' },
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
