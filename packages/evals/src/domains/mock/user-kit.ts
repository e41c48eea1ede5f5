import { pyEquals } from '../../tau2/python/equality.js';
import { str } from '../../tau2/python/text.js';
import type { KitFunction, KitTool } from '../../world/toolkit.js';
import { argument, known, optional, required } from './agent-kit.js';
import type { ModelDatabase } from './model-database.js';
import { modelOf, NOTIFICATION } from './models.js';

export const USER_TOOLS: readonly KitTool<ModelDatabase>[] = [
  {
    name: 'check_notifications',
    type: 'read',
    parameters: [],
    run: (database) => [...database.shelf('notifications').values()],
  },
  {
    name: 'dismiss_notification',
    type: 'write',
    parameters: [required('notification_id')],
    run(database, args) {
      const id = argument(args, 'notification_id');
      known(database, 'notifications', 'Notification', id).set('status', 'read');
      return `Notification ${str(id)} dismissed`;
    },
  },
];

export const USER_FUNCTIONS: readonly KitFunction<ModelDatabase>[] = [
  {
    name: 'add_notification',
    parameters: [required('notification_id'), required('message'), optional('task_id')],
    run(database, args) {
      const notification = modelOf(NOTIFICATION, new Map(args));
      database.shelf('notifications').set(str(argument(args, 'notification_id')), notification);
      return notification;
    },
  },
  {
    name: 'assert_notification_status',
    parameters: [required('notification_id'), required('expected_status')],
    run(database, args) {
      const found = known(database, 'notifications', 'Notification', argument(args, 'notification_id'));
      return pyEquals(found.get('status') ?? null, argument(args, 'expected_status'));
    },
  },
];
