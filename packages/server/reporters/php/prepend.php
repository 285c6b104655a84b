<?php
// PHPUnit, and what builds on it, writes each test as JUnit XML for the gate, whatever starts it.
(static function (): void {
    $report = getenv('AGORA_REPORT');
    $program = basename($_SERVER['argv'][0] ?? '');
    if ($report === false || preg_match('/^(?:phpunit|pest)(?:[-.\d]*\.phar)?$/', $program) !== 1) {
        return;
    }
    array_push($_SERVER['argv'], '--log-junit', $report . '/phpunit-' . getmypid() . '.xml');
    $_SERVER['argc'] = count($_SERVER['argv']);
    $GLOBALS['argv'] = $_SERVER['argv'];
})();
