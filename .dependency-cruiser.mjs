/**
 * The import law: a folder says where its code may run and what it may touch. Tests may import what they like.
 */
const folders = {
  core: [],
  db: ['core'],
  providers: ['core'],
  analytics: [],
  journal: ['db', 'analytics', 'core'],
  'temporal/contracts': [],
  'temporal/workflows': ['temporal/contracts'],
  'temporal/client': ['temporal/contracts', 'db', 'core'],
  runtime: ['core', 'db', 'providers', 'analytics', 'temporal/client'],
  activities: ['temporal/contracts', 'core', 'db', 'providers', 'analytics', 'runtime'],
  'temporal/worker': [
    'temporal/contracts',
    'temporal/client',
    'activities',
    'journal',
    'core',
    'db',
    'providers',
    'analytics',
    'runtime',
  ],
  api: ['core', 'db', 'providers', 'analytics', 'runtime', 'temporal/client', 'temporal/contracts'],
};

const all = [...Object.keys(folders), 'local', 'bench', 'test', 'web'];

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
        path: '^(api|temporal|activities|core|db|analytics|journal|providers|runtime|local)/',
        pathNot: ['\\.test\\.ts$', '/testing/'],
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
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
      severity: 'error',
      from: { path: '^temporal/contracts/' },
      to: { pathNot: '^temporal/contracts/' },
    },
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
