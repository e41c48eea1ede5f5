import { describe, expect, it } from 'vitest';
import { destructiveCommand } from './destructive-commands.js';

describe('a command that destroys', () => {
  it.each([
    'rm -rf build',
    '/bin/rm x',
    'sudo rm x',
    'find . | xargs rm',
    'env A=1 rm x',
    'r\\m x',
    '"rm" x',
    'echo $(rm x)',
    'echo `rm x`',
    'true;rm x',
    'dd if=/dev/zero of=/dev/sda',
    'mkfs.ext4 /dev/sda',
    'git push --force',
    'git push origin --force-with-lease',
    'git push -f',
    'git reset --hard HEAD~1',
    'git clean -xfd',
    'git branch -D main',
    'git stash drop',
    'find . -name x -delete',
    'find . -exec cat {} +',
    'chmod -R 777 /',
    'rsync -a --delete a b',
    'docker system prune',
    'kubectl delete pod x',
    'terraform destroy',
    'npm publish',
    'systemctl stop nginx',
    'curl -X DELETE https://example.com/1',
    "psql -c 'DROP  TABLE users'",
    'sqlite3 a.db "delete from users"',
    "bash -c 'echo hi'",
    "python3 -c 'print(1)'",
    "node -e '1'",
    'kill -9 1',
  ])('is %s [R3-GOV-AUTONOMY]', (command) => {
    expect(destructiveCommand(command)).toBeDefined();
    expect(destructiveCommand(command.split(' '))).toBeDefined();
  });

  it.each([
    'ls -l',
    'git status',
    'git push origin main',
    'git commit -m fix',
    'npm test',
    'grep -r "format" src',
    'cat form.txt',
    'find . -name "*.ts"',
    'docker ps',
    'kubectl get pods',
    'node script.js',
    'bash build.sh',
    'curl https://example.com/delete',
    'chmod +x run.sh',
  ])('is not %s', (command) => {
    expect(destructiveCommand(command)).toBeUndefined();
  });
});
