/** Rooms and what each may import of ours, type-only imports included (docs/adr/0001). `test` and `build` may import everything. */
const arrows = {
  shared: [],
  'shared/node': ['shared'],
  renderer: ['shared'],
  main: ['shared', 'shared/node', 'build/icons'],
  'master/core': ['shared'],
  'master/store': ['shared', 'shared/node'],
  'master/nodes': [
    'shared',
    'shared/node',
    'master/store',
    'master/core/snapshot',
    'master/core/fleet/spending.ts',
    'master/core/fleet/budget.ts',
  ],
  'master/runtime': [
    'shared',
    'shared/node',
    'master/store',
    'master/templates',
    'master/nodes/shell.ts',
    'master/nodes/node-names.ts',
  ],
  'master/templates': ['shared', 'shared/node', 'master/store'],
  'master/software': [
    'shared',
    'shared/node',
    'master/store',
    'master/templates/copy-file.ts',
    'master/templates/jar-info.ts',
  ],
  'master/volumes': [
    'shared',
    'shared/node',
    'master/store',
    'master/templates',
    'master/core/snapshot',
    'master/core/volumes',
  ],
  'master/backup': ['shared', 'shared/node', 'master/store', 'master/templates'],
  'master/link': ['shared', 'shared/node', 'master/store'],
  'master/balancer': ['shared', 'shared/node', 'master/store'],
  'master/plugin': ['shared'],
  'master/files': ['shared', 'shared/node', 'master/store', 'master/templates'],
  'master/state': [
    'shared',
    'shared/node',
    'master/core',
    'master/store',
    'master/nodes/node.ts',
    'master/runtime/runtime.ts',
    'master/templates',
    'master/volumes',
  ],
  'master/ingress': [
    'shared',
    'shared/node',
    'master/core',
    'master/store',
    'master/runtime/runtime.ts',
    'master/templates',
    'master/link/link.ts',
    'master/balancer/balancer.ts',
    'master/state',
  ],
  'master/control': [
    'shared',
    'shared/node',
    'master/core',
    'master/store',
    'master/nodes/node.ts',
    'master/runtime/runtime.ts',
    'master/templates',
    'master/software',
    'master/volumes',
    'master/link/link.ts',
    'master/balancer/balancer.ts',
    'master/state',
    'master/ingress',
  ],
  'master/admin': [
    'shared',
    'shared/node',
    'master/core',
    'master/store',
    'master/state',
    'master/volumes',
    'master/control',
    'master/ingress',
    'master/files',
    'master/software',
    'master/nodes/provider-projects.ts',
  ],
  'master/cli': [
    'shared',
    'shared/node',
    'master/store',
    'master/templates',
    'master/admin',
    'master/backup',
    'master/doctor',
    'master/nodes/node-names.ts',
    'master/nodes/bootstrap/sshd-config.ts',
    'master/boot/run.ts',
  ],
  'master/doctor': [
    'shared',
    'shared/node',
    'master/store',
    'master/nodes',
    'master/runtime',
    'master/balancer',
    'master/link',
    'master/backup',
  ],
};

const pattern = (path) => `^${path.replaceAll('.', '\\.')}${path.endsWith('.ts') ? '$' : '/'}`;
const ours = '^(shared|renderer|main|master|build|test)/';

/** `shared` without the part that needs Node, which the window and the pure core cannot use. */
const pureShared = '^shared/(?!node/)';
const from = (room) => (room === 'shared' ? pureShared : pattern(room));
const to = (room) => (room === 'shared' ? pureShared : pattern(room));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circle',
      comment:
        'Files that need each other cannot be understood or tested apart, even where only types are imported.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...Object.entries(arrows).map(([room, neighbours]) => ({
      name: `arrows-of-${room.replace('/', '-')}`,
      comment: `${room} may import only: ${[room, ...neighbours].join(', ')}`,
      severity: 'error',
      from: { path: from(room) },
      to: { path: ours, pathNot: [room, ...neighbours].map(to) },
    })),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules|dist)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.svelte'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
