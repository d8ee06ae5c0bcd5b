/** One step of the set-up of the cloud provider. */
interface Step {
  readonly title: string;
  /** Text that explains the purpose of the step. */
  readonly text: string;
  /** Paths of its fields in the master configuration. Empty for the preview of orders. */
  readonly paths: readonly string[];
}

/** The steps of the set-up. Each step builds on the previous ones. */
export const steps: readonly Step[] = [
  {
    title: 'API token',
    text: 'Overworld orders and deletes servers with it. In the provider’s console, open a project of its own for Overworld, and create a token with read and write permission there.',
    paths: ['provider.api_token'],
  },
  {
    title: 'Location',
    text: 'Where nodes run. Choose the one nearest to your players, and others for when it is sold out.',
    paths: ['provider.location', 'provider.locations'],
  },
  {
    title: 'Server types',
    text: 'What may be ordered. One node takes as many services as its RAM has room for.',
    paths: ['provider.server_type', 'provider.blocked_servers'],
  },
  {
    title: 'SSH access',
    text: 'Keys with which you log in to nodes yourself. None is needed.',
    paths: ['provider.ssh_keys', 'provider.server_port'],
  },
  {
    title: 'Firewall',
    text: 'Overworld opens the ports that it needs. Add rules only for plugins that open ports of their own.',
    paths: ['firewall_rules'],
  },
  {
    title: 'Budget',
    text: 'When nodes are ordered, and when no more are, whatever happens.',
    paths: [
      'provider.upscaling_at_percent_capacity',
      'limits.max_nodes',
      'limits.max_cost_per_hour',
      'limits.max_cost_per_month',
    ],
  },
  {
    title: 'What would be ordered now',
    text: 'With these values, the current services, and configure mode off.',
    paths: [],
  },
  {
    title: 'Configure mode',
    text: 'Switch it off and save: from then on, nodes are ordered and released as needed.',
    paths: ['provider.configure_mode'],
  },
];
