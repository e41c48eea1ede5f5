import { type DefinedTool, tool } from './index.js';

/**
 * Sixty tools as servers for code hosting, files, databases, chat, mail, calendars, tickets, payments, the web, metrics
 * and clusters list them: what is too much for one request, and what a router has to choose from.
 */
const LISTINGS = `
github_create_issue | Opens a new issue in a repository with title and body. Not for pull requests. | owner, repo, title, body, labels
github_list_issues | Lists open or closed issues of a repository, newest first. Use search for full text. | owner, repo, state, page
github_comment_issue | Adds a comment to an issue or pull request that exists. | owner, repo, number, body
github_create_pull_request | Opens a pull request from one branch into another. Does not merge it. | owner, repo, head, base, title
github_merge_pull_request | Merges an approved pull request. Never use it without a passing review. | owner, repo, number, method
github_search_code | Searches source code over all repositories by words or symbols. Not for issues. | query, language, page
github_create_branch | Creates a branch from a commit or another branch. | owner, repo, branch, from
github_list_commits | Shows the commit history of a branch with authors and messages. | owner, repo, branch, page
read_file | Reads a text file from the workspace. Not for folders. | path, encoding
write_file | Creates or overwrites a text file in the workspace. For small changes prefer edit_file. | path, content
edit_file | Replaces one piece of text in an existing file with another. | path, old_text, new_text
list_directory | Lists the entries of a folder. Does not descend into subfolders. | path
move_file | Moves or renames a file or folder inside the workspace. | source, destination
delete_file | Deletes a file for good. Not for folders. | path
search_files | Finds files whose name matches a pattern. Does not look into their content. | path, pattern
file_info | Size, owner and times of a file or folder, without its content. | path
sql_query | Runs a read-only SQL SELECT statement against the warehouse. Not for changes. | statement, parameters, limit
sql_execute | Runs an SQL statement that changes rows: insert, update or delete. | statement, parameters
sql_list_tables | Lists tables and views of a database schema. | schema
sql_describe_table | Columns, types and keys of one table. | schema, table
sql_explain | Shows the execution plan of a statement without running it. | statement
slack_post_message | Posts a message to a channel. Not for private conversations; use slack_direct_message. | channel, text, thread
slack_direct_message | Sends a private message to one person in the chat workspace. | user, text
slack_list_channels | Lists the channels of the chat workspace that the bot may read. | cursor, limit
slack_channel_history | Reads recent messages of a channel. | channel, limit, oldest
slack_add_reaction | Adds an emoji reaction to a message. | channel, timestamp, emoji
mail_send | Sends an e-mail with subject and text to one or more recipients. Cannot be taken back. | to, cc, subject, body
mail_search | Searches the mailbox by sender, subject or words. | query, folder, limit
mail_read | Reads one e-mail with its attachments listed. | id
mail_draft | Stores an e-mail as a draft without sending it. | to, subject, body
calendar_create_event | Puts an appointment into the calendar and invites attendees. | title, start, end, attendees, room
calendar_list_events | Lists appointments between two dates. | from, to, calendar
calendar_cancel_event | Cancels an appointment and tells the attendees. | id, message
calendar_find_free_time | Finds a slot in which all people are free. | attendees, duration, from, to
jira_create_ticket | Files a ticket in a project board with type and priority. Not for code hosting. | project, type, summary, priority
jira_transition_ticket | Moves a ticket to another status such as done or in progress. | key, status
jira_assign_ticket | Assigns a ticket to a person. | key, assignee
jira_search_tickets | Finds tickets with a JQL expression. | jql, limit
stripe_create_invoice | Draws up an invoice for a customer. It is not sent before it is finalized. | customer, items, due
stripe_refund_payment | Pays a customer's money back, in part or in full. Cannot be undone. | payment, amount, reason
stripe_list_charges | Lists charges of a customer's card between two dates. | customer, from, to
stripe_get_balance | Current balance of the account by currency. | currency
web_search | Searches the public web and returns titles, addresses and excerpts. | query, count, language
web_fetch | Downloads one public web page and returns its text. Not for files behind a login. | url, max_length
browser_click | Clicks an element of the page that is open in the browser. | selector
browser_screenshot | Takes a picture of the page that is open in the browser. | full_page, format
browser_fill_form | Types values into the fields of a form on the open page. | fields
metrics_query | Evaluates a metrics expression over a time range, such as latency or error rate. | expression, start, end, step
metrics_list_alerts | Lists alerts that are firing right now with their severity. | severity
metrics_silence_alert | Silences an alert for some time. Only for alerts somebody is working on. | alert, duration, comment
logs_search | Searches application logs by words, level and service. | query, service, level, from
logs_tail | Follows the latest log lines of one service. | service, lines
kubernetes_list_pods | Lists pods of a namespace with their state and restarts. | namespace, selector
kubernetes_restart_deployment | Restarts all pods of a deployment one after the other. | namespace, deployment
kubernetes_scale_deployment | Changes how many replicas a deployment has. | namespace, deployment, replicas
kubernetes_pod_logs | Output of one container in a pod. | namespace, pod, container
translate_text | Translates a passage into another language. Not for whole files. | text, target_language, formality
weather_forecast | Weather of the coming days for a place on earth. | latitude, longitude, days
currency_convert | Converts an amount of money between two currencies at today's rate. | amount, source_currency, target_currency
maps_route | Way between two places with distance and travel time by car, train or foot. | origin, destination, mode
`;

export const SIXTY: readonly DefinedTool[] = LISTINGS.trim()
  .split('\n')
  .map((line) => {
    const [name = '', description = '', parameters = ''] = line.split(' | ');
    const names = parameters.split(', ');
    return tool({
      name,
      description,
      input: {
        type: 'object',
        properties: Object.fromEntries(
          names.map((parameter) => [
            parameter,
            { type: 'string', description: `The ${parameter.replaceAll('_', ' ')}.` },
          ]),
        ),
        required: names.slice(0, 1),
        additionalProperties: false,
      },
      effect: 'idempotent',
      tags: [name.split('_')[0] ?? ''],
      execute: async (args) => `${name} ${JSON.stringify(args)}`,
    });
  });

/** Tasks as people put them, each with the tool that it cannot do without. */
export const LABELLED: readonly (readonly [task: string, needed: string])[] = [
  ['Open an issue in the flyball repository about the slow tests', 'github_create_issue'],
  ['Merge pull request 12 once it is reviewed', 'github_merge_pull_request'],
  ['Rename the file notes.md to journal.md', 'move_file'],
  ['What is in the file config.json? Read it and summarise', 'read_file'],
  ['Which tables does the billing schema have?', 'sql_list_tables'],
  ['Count the orders of March with a SELECT statement on the warehouse', 'sql_query'],
  ['Post a message to the #release channel that we are done', 'slack_post_message'],
  ['Send an e-mail to Ada with the subject Minutes', 'mail_send'],
  ['Find a slot next week in which Ada and Grace are both free', 'calendar_find_free_time'],
  ['Assign ticket OPS-7 to Grace', 'jira_assign_ticket'],
  ['Refund the payment of the customer who complained', 'stripe_refund_payment'],
  ['Take a screenshot of the open page', 'browser_screenshot'],
  ['Which alerts are firing?', 'metrics_list_alerts'],
  ['Search the logs of the checkout service for timeouts', 'logs_search'],
  ['Scale the web deployment to five replicas', 'kubernetes_scale_deployment'],
  ['Translate this passage into French', 'translate_text'],
  ['How is the weather in Lisbon in the coming days?', 'weather_forecast'],
  ['How long does the train take from Bern to Milan? Show the way', 'maps_route'],
];
