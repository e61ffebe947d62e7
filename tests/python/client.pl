#!/usr/bin/perl
# A client of the step protocol, written from workloads/PROTOCOL.md alone.
use strict;
use warnings;
use JSON::PP;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my $json = JSON::PP->new->utf8->canonical;
my ( $count, $sum );    # what is prepared: sums of the first so many whole numbers

# Output belongs to the protocol: what prints goes to the log.
open my $replies, '>&', \*STDOUT  or die "stdout: $!";
open STDOUT,      '>&', \*STDERR or die "stderr: $!";
$replies->autoflush(1);

sub step_once {
    $sum = 0;
    $sum += $_ for 1 .. $count;
}

sub timed {
    my ($calls) = @_;
    my $start = clock_gettime(CLOCK_MONOTONIC);
    step_once() for 1 .. $calls;
    return clock_gettime(CLOCK_MONOTONIC) - $start;
}

my %answers = (
    hello => sub {
        my ( $low, $high ) = @{ $_[0]{protocol} };
        die "speaks protocol 1, asked for $low to $high\n" if $low > 1 || $high < 1;
        return ( protocol => 1, program => 'client.pl' );
    },
    list => sub {
        my %axis = ( name => 'count', kind => 'integer', default => '5000', min => 1, max => 100000 );
        return ( workloads => [ { name => 'sums', axes => [ \%axis ] } ] );
    },
    pin => sub {
        my $cpus = join ',', @{ $_[0]{cpus} };
        system 'taskset', '-a', '-p', '-c', $cpus, $$;
        my ($list) = `taskset -c -p $$` =~ /([-,0-9]+)\n/ or die "taskset does not say\n";
        return ( cpus => [ map { /(\d+)-(\d+)/ ? $1 .. $2 : $_ + 0 } split /,/, $list ] );
    },
    prepare => sub {
        my ($request) = @_;
        my %axes = %{ $request->{axes} };
        $count = delete $axes{count};
        if ( $request->{workload} ne 'sums' || !defined $count || %axes ) {
            undef $count;
            return ( state => 'unsupported', reason => 'no such workload or axis' );
        }
        print "preparing $count\n";
        step_once();
        my $expected = $count * ( $count + 1 ) / 2;
        return ( state => 'incorrect', reason => "$sum is not $expected" ) if $sum != $expected;
        return ( state => 'ready', call_s => timed(10) / 10, items => $count + 0 );
    },
    step => sub {
        my ($request) = @_;
        die "no case is prepared\n" unless defined $count;
        my @elapsed = map { int( timed( $request->{inner} ) * 1e9 ) } 1 .. $request->{n};
        return ( elapsed_ns => \@elapsed );
    },
    finish => sub { undef $count; return ( metrics => {}, digest => "$sum" ) },
    bye    => sub { return () },
);

while ( my $line = <STDIN> ) {
    my $request = eval { $json->decode($line) };
    my $op      = $request && $request->{op} || 'hello';
    my %reply   = eval { ( ok => JSON::PP::true, $answers{$op}->($request) ) };
    if ($@) {
        chomp( my $reason = $@ );
        %reply = ( ok => JSON::PP::false, reason => $reason );
    }
    print {$replies} $json->encode( { op => $op, %reply } ), "\n";
    last if $op eq 'bye';
}
